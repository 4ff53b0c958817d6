<?php

use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\DB;

class SafeTransaction
{
    public function spend(int $id, int $cents): void
    {
        DB::transaction(function () use ($id, $cents) {
            $wallet = DB::table('wallets')->where('id', $id)->lockForUpdate()->first();
            if ($wallet->cents < $cents) {
                throw new DomainException('not enough');
            }
            DB::table('wallets')->where('id', $id)->update(['cents' => $wallet->cents - $cents]);
        });
        Cache::forget("wallet:$id");
    }
}
