<?php
declare(strict_types=1);

namespace App\Cron;

use Predis\ClientInterface;

final class JobMutex
{
    private const PREFIX = 'cron:';

    public function __construct(private ClientInterface $redis, private int $ttl = 120)
    {
    }

    public function guard(string $job, callable $work): mixed
    {
        $key = self::PREFIX . $job . ':mutex';
        $stamp = bin2hex(random_bytes(8));
        $ok = $this->redis->set($key, $stamp, 'EX', $this->ttl, 'NX');
        if ($ok === null) {
            return null;
        }
        try {
            return $work();
        } finally {
            if ($this->redis->get($key) === $stamp) {
                $this->redis->del([$key]); // want 2
            }
        }
    }
}
