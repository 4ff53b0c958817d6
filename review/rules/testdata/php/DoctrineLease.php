<?php

use Doctrine\DBAL\Connection;

final class DoctrineLease
{
    public function __construct(private Connection $db)
    {
    }

    public function take(string $name, string $owner): bool
    {
        $row = $this->db->fetchAssociative('SELECT expires_at FROM job_locks WHERE name = ?', [$name]);
        if ($row && strtotime($row['expires_at']) > time()) { // want 6
            return false;
        }
        $this->db->executeStatement('REPLACE INTO job_locks (name, owner, expires_at) VALUES (?, ?, ?)', [$name, $owner, date('c', time() + 60)]); // want 3 6

        return true;
    }

    public function drop(string $name): void
    {
        $this->db->executeStatement('DELETE FROM job_locks WHERE name = ?', [$name]); // want 1
    }
}
