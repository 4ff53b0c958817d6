<?php

use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\DB;

class TransferService
{
    public function move(int $from, int $to, int $cents): void
    {
        $lock = Cache::lock("account:$from", 10);
        $lock->get(); // want 9
        try {
            DB::table('accounts')->where('id', $from)->decrement('cents', $cents); // want 4
            DB::table('accounts')->where('id', $to)->increment('cents', $cents); // want 4
        } finally {
            $lock->release(); // want 10
        }
    }
}
