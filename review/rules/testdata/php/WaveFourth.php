<?php

use PhpAmqpLib\Channel\AMQPChannel;
use PhpAmqpLib\Message\AMQPMessage;

class WaveFourth
{
    public function __construct(private Memcached $mc, private AMQPChannel $channel, private PDO $db) {}

    public function send(array $ids): int
    {
        $mine = true;
        try {
            $mine = $this->mc->add('send_lock', getmypid(), 30);  // want 7 9
        } catch (\Throwable $e) {
            error_log('memcached: ' . $e->getMessage());
        }
        if (!$mine) {
            return 0;
        }
        try {
            foreach ($ids as $id) {
                $this->one($id);
            }
        } finally {
            $this->mc->delete('send_lock'); // want 1
        }
        return count($ids);
    }

    private function one(int $id): void
    {
        $this->channel->basic_publish(new AMQPMessage((string) $id), '', 'sent'); // want 8
        $this->db->prepare('UPDATE letters SET sent = 1 WHERE id = ?')->execute([$id]); // want 4
    }
}
