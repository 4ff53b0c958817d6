<?php
// Cron: one host of many is the leader.
$pdo = new PDO(getenv('DSN'));
$host = gethostname();

function leads(PDO $pdo, string $host): bool
{
    $s = $pdo->prepare('SELECT host, seen_at FROM leader_lease WHERE id = 1');
    $s->execute();
    $row = $s->fetch(PDO::FETCH_ASSOC);
    return $row && $row['host'] === $host && strtotime($row['seen_at']) > time() - 30; // want 6
}

if (leads($pdo, $host)) {
    $pdo->exec("UPDATE campaigns SET state = 'sent' WHERE due < now()"); // want 11 12
}
