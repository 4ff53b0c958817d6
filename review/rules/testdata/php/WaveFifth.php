<?php

namespace App\Service;

use App\Entity\Batch;
use Doctrine\ORM\EntityManagerInterface;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Mailer\MailerInterface;
use Symfony\Component\Mime\Email;
use Symfony\Contracts\HttpClient\HttpClientInterface;

class WaveFifth
{
    public function __construct(
        private LockFactory $locks,
        private EntityManagerInterface $em,
        private MailerInterface $mailer,
        private HttpClientInterface $http,
        private \Redis $redis,
    ) {}

    public function ship(Batch $batch): void
    {
        $lock = $this->locks->createLock('ship-'.$batch->getId(), 15);
        if (!$lock->acquire()) { // want 7
            return;
        }
        try {
            $batch->setShipped(true);
            $this->em->flush(); // want 4
            $this->mailer->send((new Email())->to('a@b.example')->subject('Shipped')); // want 8
        } finally {
            $lock->release();
        }
    }

    public function count(string $hall): int
    {
        $me = uniqid('', true);
        while (!$this->redis->set("hall:$hall:lock", $me, ['nx', 'ex' => 5])) { // want 7
            usleep(100000);
        }
        $n = $this->http->request('POST', "https://halls.example/$hall/count", ['timeout' => 0])->toArray()['n']; // want 8
        $this->redis->del("hall:$hall:lock"); // want 1
        return $n;
    }
}
