<?php
function acme_sync_lock() {
    global $wpdb;
    $row = $wpdb->get_row($wpdb->prepare("SELECT * FROM {$wpdb->prefix}acme_locks WHERE name = %s", 'sync'));
    if ($row && strtotime($row->expires_at) > time()) { // want 6
        return false;
    }
    $wpdb->query($wpdb->prepare("INSERT INTO {$wpdb->prefix}acme_locks (name, owner, expires_at) VALUES (%s, %s, %s)", 'sync', getmypid(), gmdate('Y-m-d H:i:s', time() + 300))); // want 3 6
    return true;
}

function acme_sync_unlock() {
    global $wpdb;
    $wpdb->query("DELETE FROM {$wpdb->prefix}acme_locks WHERE name = 'sync'"); // want 1
}
