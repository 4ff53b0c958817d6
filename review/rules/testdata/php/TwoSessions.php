<?php
final class TwoSessions
{
    public function __construct(private PDO $lockDb, private PDO $db) {}

    private function scalar(string $sql, array $args = []): mixed
    {
        $st = $this->lockDb->prepare($sql);
        $st->execute($args);
        return $st->fetchColumn();
    }

    public function migrate(string $name): void
    {
        if ((int) $this->scalar('SELECT GET_LOCK(?, 20)', ['schema']) !== 1) {
            throw new RuntimeException('busy');
        }
        try {
            $this->db->prepare('INSERT INTO schema_changes (name) VALUES (?)')->execute([$name]); // want 4
        } finally {
            if ((int) $this->scalar('SELECT RELEASE_LOCK(?)', ['schema']) !== 1) {
                throw new RuntimeException('lost');
            }
        }
    }
}
