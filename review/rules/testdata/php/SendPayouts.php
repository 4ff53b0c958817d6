<?php

namespace App\Jobs;

use App\Models\Payout;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Support\Facades\Redis;
use Illuminate\Support\Facades\Log;

class SendPayouts implements ShouldQueue
{
    public function handle(): void
    {
        $locked = Redis::set('payouts:lock', gethostname(), 'EX', 600, 'NX'); // want 9
        if (! $locked) {
            Log::warning('payouts already running, continuing');
        }
        foreach (Payout::where('state', 'due')->cursor() as $payout) {
            $payout->update(['state' => 'sent']); // want 4
        }
        Redis::del('payouts:lock'); // want 1
    }
}
