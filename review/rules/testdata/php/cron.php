<?php

$redis = new Redis();
$redis->connect('127.0.0.1');
$lockKey = 'cron:cleanup:lock';

if (!$redis->setnx($lockKey, time())) {
    exit("running\n");
}
$redis->expire($lockKey, 300); // want 3

cleanup();

$redis->del($lockKey); // want 1

function cleanup(): void
{
}
