<?php
final class ResetMail
{
    public function __construct(private \Redis $redis, private \PHPMailer\PHPMailer\PHPMailer $mail) {}

    public function send(string $to): bool
    {
        if (!$this->redis->set("reset:$to", time(), ['nx', 'ex' => 300])) {
            return false; // one mail in five minutes
        }
        $this->mail->addAddress($to);
        return $this->mail->send();
    }
}
