<?php
class Tickets
{
    private $redis;
    private $me;

    public function __construct(Redis $redis)
    {
        $this->redis = $redis;
        $this->me = bin2hex(random_bytes(8));
    }

    private function enter($event)
    {
        return $this->redis->set("tickets:$event:lock", $this->me, ['nx', 'ex' => 45]); // want 7
    }

    private function leave($event)
    {
        return $this->redis->eval("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0", ["tickets:$event:lock", $this->me], 1);
    }

    public function load($event, $in, $printer)
    {
        if (!$this->enter($event)) {
            return 0;
        }
        while (($line = fgets($in)) !== false) {
            $printer->stamp($line);
        }
        if (!$this->leave($event)) {
            error_log('late');
        }
    }
}
