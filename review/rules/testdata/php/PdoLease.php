<?php

final class PdoLease
{
    public function __construct(private PDO $db, private string $worker) {}

    public function claim(string $job): bool
    {
        $st = $this->db->prepare('SELECT expires_at FROM leases WHERE job = :j');
        $st->execute(['j' => $job]);
        $until = $st->fetchColumn();
        if ($until !== false && new DateTimeImmutable($until) > new DateTimeImmutable()) { // want 6
            return false;
        }
        $put = $this->db->prepare('REPLACE INTO leases (job, worker, expires_at) VALUES (?, ?, NOW() + INTERVAL 1 MINUTE)');
        return $put->execute([$job, $this->worker]); // want 3
    }

    public function done(string $job): void
    {
        $this->db->prepare('DELETE FROM leases WHERE job = ?')->execute([$job]); // want 1
    }
}
