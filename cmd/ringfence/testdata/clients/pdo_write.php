<?php
// Executes the statement in its argument through pdo_pgsql, and prints its version.
$server = new PDO("pgsql:", getenv("PGUSER"), getenv("PGPASSWORD"));
$server->exec($argv[1]);
echo phpversion("pdo_pgsql"), "\n";
