<?php
final class Solo
{
    public function __construct(private \Redis $redis) {}

    public function run(string $what, callable $fn): mixed
    {
        $id = bin2hex(random_bytes(8));
        if (!$this->redis->set($what, $id, ['nx', 'ex' => 30])) {
            return null;
        }
        try {
            return $fn();
        } finally {
            if ($this->redis->get($what) === $id) {
                $this->redis->del($what); // want 2
            }
        }
    }
}

final class Mailing
{
    public function __construct(private Solo $solo, private \PHPMailer\PHPMailer\PHPMailer $mail) {}

    public function go(): void
    {
        $this->solo->run('mailing', function () {
            $this->mail->send(); // want 8
        });
    }
}
