<?php

final class SafeEval
{
    private const RELEASE = <<<'LUA'
        if redis.call('get', KEYS[1]) == ARGV[1] then
            return redis.call('del', KEYS[1])
        end
        return 0
        LUA;

    public function __construct(private Redis $redis)
    {
    }

    public function acquire(string $name, int $ms): ?string
    {
        $owner = bin2hex(random_bytes(16));

        return $this->redis->set("mutex:$name", $owner, ['nx', 'px' => $ms]) ? $owner : null;
    }

    public function release(string $name, string $owner): bool
    {
        return $this->redis->eval(self::RELEASE, ["mutex:$name", $owner], 1) === 1;
    }
}
