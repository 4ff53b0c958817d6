<?php

use Illuminate\Support\Facades\Cache;

class SafeThrottle
{
    public function allow(string $ip): bool
    {
        if (Cache::add("throttle:$ip", 1, 60)) {
            return true;
        }

        return Cache::increment("throttle:$ip") <= 10;
    }

    public function unlockUser(int $id): void
    {
        Cache::forget("locked-out:$id");
    }
}
