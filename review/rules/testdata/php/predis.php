<?php
final class Roster
{
    private string $badge;

    public function __construct(private \Predis\Client $redis, private \mysqli $db)
    {
        $this->badge = bin2hex(random_bytes(6));
    }

    private function enter(string $shift): bool
    {
        return $this->redis->set("roster:$shift", $this->badge, 'EX', 20, 'NX') !== null;
    }

    private function leave(string $shift): void
    {
        if ($this->redis->get("roster:$shift") === $this->badge) {
            $this->redis->del(["roster:$shift"]); // want 2
        }
    }

    public function assign(string $shift, int $nurse): void
    {
        if (!$this->enter($shift)) {
            return;
        }
        try {
            $this->db->query("UPDATE shifts SET nurse = $nurse WHERE id = '$shift'"); // want 4
        } finally {
            $this->leave($shift);
        }
    }
}
