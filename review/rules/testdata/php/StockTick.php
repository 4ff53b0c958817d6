<?php

namespace App\Jobs;

use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Http;
use Illuminate\Support\Facades\Redis;
use Illuminate\Support\Str;

class StockTick
{
    public function handle(): void
    {
        $lock = Cache::lock('stock:tick', 30);
        $lock->get(); // want 9
        $rows = Http::get('https://stock.example/all')->json();
        foreach ($rows as $row) {
            DB::table('stock')->where('sku', $row['sku'])->update(['n' => $row['n']]); // want 4
        }
        $lock->forceRelease(); // want 1
    }

    public function reserve(string $sku): bool
    {
        $me = Str::uuid()->toString();
        if (! Redis::set("reserve:lock:$sku", $me, 'EX', 10, 'NX')) {
            return false;
        }
        try {
            DB::update('update stock set reserved = reserved + 1 where sku = ?', [$sku]); // want 4
        } finally {
            if (Redis::get("reserve:lock:$sku") === $me) {
                Redis::del("reserve:lock:$sku"); // want 2
            }
        }
        return true;
    }
}
