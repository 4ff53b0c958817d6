<?php
class Exporter
{
    private PDO $pdo;

    public function export(): void
    {
        $got = $this->pdo->query("SELECT GET_LOCK('export', 0)")->fetchColumn();
        if (!$got) {
            return;
        }
        $this->pdo->exec("UPDATE exports SET state = 'done' WHERE state = 'open'");
        $this->pdo->query("SELECT RELEASE_LOCK('export')"); // want 10
    }
}
