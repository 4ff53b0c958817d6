<?php
final class Berth
{
    public function __construct(private PDO $db, private string $me) {}

    public function moor(int $id): bool
    {
        $st = $this->db->prepare('UPDATE berths SET vessel = ?, sails = ? WHERE id = ? AND (vessel IS NULL OR sails < ?)');
        $st->execute([$this->me, time() + 60, $id, time()]); // want 6
        return $st->rowCount() === 1;
    }

    public function cast(int $id): void
    {
        $this->db->prepare('UPDATE berths SET vessel = NULL WHERE id = ?')->execute([$id]); // want 1
    }
}
