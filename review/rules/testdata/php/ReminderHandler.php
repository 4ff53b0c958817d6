<?php

namespace App\Handler;

use Doctrine\ORM\EntityManagerInterface;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Mailer\MailerInterface;

final class ReminderHandler
{
    public function __construct(
        private readonly LockFactory $locks,
        private readonly EntityManagerInterface $em,
        private readonly MailerInterface $mailer,
    ) {
    }

    public function __invoke(Reminder $reminder): void
    {
        $lock = $this->locks->createLock('reminder-' . $reminder->id, ttl: 30);
        if (!$lock->acquire()) { // want 7
            return;
        }

        try {
            $this->mailer->send($reminder->toEmail()); // want 8
            $reminder->setSentAt(new \DateTimeImmutable());
            $this->em->persist($reminder); // want 4
            $this->em->flush();
        } finally {
            $lock->release();
        }
    }
}
