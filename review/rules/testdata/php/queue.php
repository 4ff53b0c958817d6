<?php
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Mail;
use Illuminate\Support\Facades\Redis;

class Queue
{
    public function atomic(int $id): void
    {
        $lock = Cache::store('redis')->lock("invoice-{$id}", 20);
        try {
            $lock->block(3); // want 7
            Mail::to('a@b.invalid')->send(new InvoiceMail($id)); // want 8
        } catch (\Illuminate\Contracts\Cache\LockTimeoutException $e) {
            report($e);
        } finally {
            $lock?->release(); // want 10
        }
    }

    public function funnel(int $id): void
    {
        Redis::throttle('mails')->allow(10)->every(60)->then(fn () => null);
    }

    public function counted(string $ip): bool
    {
        $n = Redis::incr("hits:$ip");
        if ($n === 1) {
            Redis::expire("hits:$ip", 60);
        }
        return $n < 20;
    }
}
