<?php
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Mailer\MailerInterface;
class More {
  public function __construct(private LockFactory $factory, private MailerInterface $mailer, private \Redis $redis, private $em) {}
  public function remind(): void {
    $lock = $this->factory->createLock('remind', ttl: 30);
    if (!$lock->acquire()) { return; } // want 7
    try { $this->mailer->send($this->mail()); } finally { $lock->release(); } // want 8
  }
  public function setnxWithTime($key) {
    $now = time();
    if ($this->redis->setnx($key . '.lock', $now + 30)) { return true; } // want 6
    $old = $this->redis->get($key . '.lock');
    if ($old < $now) {
      $prev = $this->redis->getSet($key . '.lock', $now + 30); // want 3 6
      return $prev === $old;
    }
    return false;
  }
  public function doctrine($id) {
    $key = "lock:$id";
    if ($this->redis->set($key, gethostname(), ['nx', 'ex' => 30])) { // want 19
      $o = $this->em->find(Order::class, $id); $o->setPaid(true);
      $this->em->persist($o); $this->em->flush(); // want 4
      if ($this->redis->get($key) == gethostname()) { $this->redis->del($key); } // want 2
    }
  }
}
