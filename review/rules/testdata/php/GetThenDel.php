<?php

use Illuminate\Support\Facades\Redis;
use Illuminate\Support\Str;

class GetThenDel
{
    public function locked(string $name, callable $work)
    {
        $owner = (string) Str::uuid();
        $ok = Redis::set("lock:{$name}", $owner, 'EX', 30, 'NX');
        if (!$ok) {
            return null;
        }
        try {
            return $work();
        } finally {
            if (Redis::get("lock:{$name}") === $owner) {
                Redis::del("lock:{$name}"); // want 2
            }
        }
    }
}
