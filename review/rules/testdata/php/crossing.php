<?php

final class Crossing
{
    private string $id;

    public function __construct(private Redis $redis, private PDO $pdo, private int $track)
    {
        $this->id = bin2hex(random_bytes(16));
        if (!$redis->set("crossing:lock:{$this->track}", $this->id, ['nx', 'ex' => 30])) {
            throw new RuntimeException('busy');
        }
    }

    public function close(): void
    {
        $this->pdo->exec("UPDATE barriers SET down = 0 WHERE track = {$this->track}");
    }

    public function lower(): void
    {
        $this->pdo->exec("UPDATE barriers SET down = 1 WHERE track = {$this->track}"); // want 4
    }

    public function __destruct()
    {
        if ($this->redis->get("crossing:lock:{$this->track}") === $this->id) {
            $this->redis->del("crossing:lock:{$this->track}"); // want 2
        }
    }
}

function newsletter_run(): void
{
    if (get_transient('newsletter_lock')) {
        return;
    }
    set_transient('newsletter_lock', 1, 600); // want 3 7
    wp_mail('a@b.invalid', 'News', 'text'); // want 8
    delete_transient('newsletter_lock'); // want 1
}

function cached_prices(): array
{
    $hit = get_transient('prices');
    if ($hit === false) {
        $hit = load_prices();
        set_transient('prices', $hit, 60);
    }
    return $hit;
}
