<?php

namespace App\Locks;

use Predis\Client;

final class ReportLock
{
    private const TTL = 120;

    public function __construct(private Client $redis)
    {
    }

    public function acquire(string $report): bool
    {
        return $this->redis->set("report:$report:lock", bin2hex(random_bytes(8)), 'EX', self::TTL, 'NX') !== null;
    }

    public function release(string $report): void
    {
        $this->redis->del(["report:$report:lock"]); // want 1
    }
}
