<?php

final class Locker
{
    public function __construct(private \Redis $redis)
    {
    }

    public function take(string $name): bool
    {
        return $this->redis->set("lock:$name", 1, ['nx', 'ex' => 20]);
    }

    public function free(string $name): void
    {
        $this->redis->del("lock:$name"); // want 1
    }
}
