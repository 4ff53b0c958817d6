<?php

use Illuminate\Support\Facades\Redis;

final class SafeOnce
{
    public function handle(array $event): void
    {
        if (!Redis::set("webhook:{$event['id']}", 1, 'EX', 86400, 'NX')) {
            return;
        }
        dispatch(new HandleWebhook($event));
    }

    public function clear(string $user): void
    {
        Redis::del("session:$user");
        Redis::del("unlock-code:$user");
    }
}
