<?php

use Symfony\Component\Lock\LockFactory;

final class SymfonyIgnored
{
    public function __construct(private LockFactory $factory, private \PDO $pdo)
    {
    }

    public function __invoke(int $id): void
    {
        $lock = $this->factory->createLock("wallet-$id", ttl: 20);
        $lock->acquire(); // want 9
        $stmt = $this->pdo->prepare('UPDATE wallets SET cents = cents - 1 WHERE id = ?');
        $stmt->execute([$id]); // want 4
        $lock->release();
    }
}
