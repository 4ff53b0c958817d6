<?php
function shop_sync() {
    global $wpdb;
    if (get_transient('shop_sync_busy')) {
        return;
    }
    set_transient('shop_sync_busy', 1, 300); // want 3
    $wpdb->update('wp_stock', ['n' => 4], ['id' => 1]); // want 4
    delete_transient('shop_sync_busy'); // want 1
}
