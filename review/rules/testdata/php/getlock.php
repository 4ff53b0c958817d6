<?php
class Tariff
{
    public function __construct(private \PDO $pdo, private \Memcached $mc) {}

    public function warm(string $zone): void
    {
        if (!$this->mc->add("tariff.$zone", gethostname(), 60)) {
            return;
        }
        try {
            $this->pdo->prepare('UPDATE tariff SET cents = cents + 1 WHERE zone = ?')->execute([$zone]); // want 4
        } finally {
            $this->mc->delete("tariff.$zone"); // want 1
        }
    }
}
