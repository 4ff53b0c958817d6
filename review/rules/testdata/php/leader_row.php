<?php
// Cron: one host of many is the leader.
$pdo = new PDO(getenv('DSN'));
$host = gethostname();

function leads(PDO $pdo, string $host): bool
{
    $s = $pdo->prepare('SELECT host, renewed_at FROM leader_lease WHERE id = 1');
    $s->execute();
    $row = $s->fetch(PDO::FETCH_ASSOC);
    return $row && $row['host'] === $host && strtotime($row['renewed_at']) > time() - 30; // want 6
}

function stand(PDO $pdo, string $host): void
{
    $s = $pdo->prepare("UPDATE leader_lease SET host = ?, renewed_at = now() WHERE id = 1 AND (host = ? OR renewed_at < now() - interval '30 seconds')");
    $s->execute([$host, $host]);
}

stand($pdo, $host);
if (leads($pdo, $host)) {
    $pdo->exec("UPDATE campaigns SET state = 'sent' WHERE due < now()"); // want 11 12
}
