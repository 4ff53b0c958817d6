<?php

class PredisGate
{
    private $client;

    public function __construct()
    {
        $this->client = new Predis\Client(getenv('REDIS_URL'));
    }

    public function guarded(string $job, callable $fn)
    {
        $key = sprintf('gate:%s:lock', $job);
        $me = gethostname() . ':' . getmypid() . ':' . random_int(0, PHP_INT_MAX);
        if (!$this->client->set($key, $me, 'PX', 45000, 'NX')) {
            throw new RuntimeException("$job is running");
        }
        try {
            return $fn();
        } finally {
            if ($this->client->get($key) === $me) {
                $this->client->del($key); // want 2
            }
        }
    }
}
