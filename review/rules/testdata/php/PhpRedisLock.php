<?php

class PhpRedisLock
{
    public function __construct(private Redis $redis, private string $name) {}

    public function acquire(int $ttl = 10): bool
    {
        try {
            $ok = $this->redis->setNx('lock.' . $this->name, 1);
            if ($ok) {
                $this->redis->expire('lock.' . $this->name, $ttl); // want 3
            }
            return $ok;
        } catch (RedisException $e) { // want 9
            error_log($e->getMessage());
            return true;
        }
    }

    public function release(): void
    {
        $this->redis->del('lock.' . $this->name); // want 1
    }
}
