<?php

final class Wallet
{
    public function __construct(private Locker $locker, private \PDO $pdo)
    {
    }

    public function spend(int $id): void
    {
        if (!$this->locker->take("wallet-$id")) {
            throw new RuntimeException('busy');
        }
        try {
            $this->pdo->exec("UPDATE wallets SET cents = cents - 1 WHERE id = 1"); // want 4
        } finally {
            $this->locker->free("wallet-$id");
        }
    }
}
