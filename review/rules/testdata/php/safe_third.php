<?php
function coupon_open(array $row): bool
{
    return strtotime($row['expires_at']) > time();
}

function cached(string $key, callable $make)
{
    $v = get_transient($key);
    if ($v === false) {
        $v = $make();
        set_transient($key, $v, 600);
    }
    return $v;
}

function save_digest(int $user): void
{
    global $wpdb;
    $wpdb->update('digest', ['sent' => 1], ['user' => $user]);
}
