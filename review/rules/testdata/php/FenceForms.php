<?php

use Predis\Client;

class FenceForms
{
    public function __construct(private Client $redis, private PDO $db) {}

    public function publish(int $page, string $html): bool
    {
        $owner = bin2hex(random_bytes(8));
        if (!$this->redis->set("page:$page:lock", $owner, 'EX', 15, 'NX')) {
            return false;
        }
        $fence = hrtime(true); // want 5
        $st = $this->db->prepare('UPDATE pages SET html = ?, fence = ? WHERE id = ? AND fence < ?');
        $st->execute([$html, $fence, $page, $fence]);
        return $st->rowCount() === 1;
    }

    public function publishBeside(int $page, string $html): void
    {
        $epoch = $this->redis->incr("page:$page:epoch");
        $st = $this->db->prepare('SELECT epoch FROM pages WHERE id = ?');
        $st->execute([$page]);
        if ((int) $st->fetchColumn() > $epoch) {
            throw new RuntimeException('stale');
        }
        $this->db->prepare('UPDATE pages SET html = ?, epoch = ? WHERE id = ?')->execute([$html, $epoch, $page]); // want 15
    }
}
