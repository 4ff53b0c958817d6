<?php

$handle = fopen('/var/run/app/cron.pid', 'c');
if (!flock($handle, LOCK_EX | LOCK_NB)) {
    exit(0);
}
try {
    $db = new PDO('sqlite:app.db');
    $db->exec("UPDATE jobs SET state = 'done'");
} finally {
    flock($handle, LOCK_UN);
    fclose($handle);
}
