<?php

namespace Cases;

use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Http;
use Symfony\Component\Lock\LockFactory;

class Shapes
{
    public function charge(int $order): void
    {
        $lock = Cache::lock("charge:$order", 10);
        if (!$lock->get()) { // want 7
            return;
        }
        try {
            Http::post('https://pay.invalid/charges', ['order' => $order]); // want 8
            DB::table('orders')->where('id', $order)->update(['paid' => true]); // want 4
        } finally {
            $lock->forceRelease(); // want 1
        }
    }

    public function closure(int $order): void
    {
        Cache::lock("stock:$order", 10)->block(5, function () use ($order) {
            DB::table('stock')->where('id', $order)->decrement('left'); // want 4
        });
    }

    public function symfony(LockFactory $factory, \PDO $db): void
    {
        $lock = $factory->createLock('report', 300);
        $lock->acquire(); // want 9
        $db->exec("UPDATE reports SET state = 'sent'"); // want 4
        $lock->release();
    }
}
