<?php
use Doctrine\DBAL\Connection;

function rename_user(Connection $db, int $id, string $name): void
{
    $owner = $db->fetchOne('SELECT owner FROM documents WHERE id = ?', [$id]);
    if ($owner !== $name) {
        return;
    }
    $db->update('documents', ['title' => $name], ['id' => $id]);
}

function build(string $target): void
{
    exec('make ' . escapeshellarg($target));
    file_get_contents('https://hooks.example/' . $target);
}

function fresh(array $row): bool
{
    $now = new DateTimeImmutable();
    return new DateTimeImmutable($row['until']) > $now;
}
