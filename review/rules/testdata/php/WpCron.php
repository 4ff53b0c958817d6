<?php
/* Plugin: sends the digest once an hour. */

function digest_run() {
    if ( get_transient( 'digest_lock' ) ) {
        return;
    }
    set_transient( 'digest_lock', 1, 5 * MINUTE_IN_SECONDS ); // want 3 7
    global $wpdb;
    $users = $wpdb->get_results( "SELECT ID, user_email FROM {$wpdb->users}" );
    foreach ( $users as $user ) {
        wp_mail( $user->user_email, 'Digest', 'news' ); // want 8
        $wpdb->update( 'digest', array( 'sent' => 1 ), array( 'user' => $user->ID ) ); // want 4
    }
    delete_transient( 'digest_lock' ); // want 1
}
add_action( 'digest_hourly', 'digest_run' );
