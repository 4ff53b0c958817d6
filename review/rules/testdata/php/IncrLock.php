<?php
$redis = new Redis();
$redis->connect('127.0.0.1');
if ($redis->incr('rates:lock') > 1) {
    exit;
}
$redis->expire('rates:lock', 60); // want 3
$pdo->exec('UPDATE rates SET value = value * 2'); // want 4
$redis->del('rates:lock'); // want 1
