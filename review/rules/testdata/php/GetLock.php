<?php

function nightly(mysqli_pool $pool): void
{
    $pool->query("SELECT GET_LOCK('nightly', 0)"); // want 9
    $pool->query("UPDATE totals SET n = n + 1");
    $pool->query("SELECT RELEASE_LOCK('nightly')"); // want 10
}
