<?php
namespace App\Console;

use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Mail;
use App\Mail\Statement;

class Statements
{
    public function handle(): int
    {
        $gate = Cache::lock('statements', 120);
        try {
            $gate->get(); // want 7 9
        } catch (\Throwable $e) {
            report($e);
        }
        foreach (User::all() as $user) {
            Mail::to($user)->send(new Statement($user)); // want 8
        }
        $gate->release(); // want 10
        return 0;
    }
}
