<?php

use Symfony\Component\Lock\LockFactory;
use Doctrine\ORM\EntityManagerInterface;
use Symfony\Component\Mailer\MailerInterface;
use Symfony\Component\Mime\Email;

class SymfonyImport
{
    public function __construct(
        private LockFactory $locks,
        private EntityManagerInterface $em,
        private MailerInterface $mailer,
    ) {
    }

    public function run(string $file): void
    {
        $lock = $this->locks->createLock("import-$file", 30);
        if (!$lock->acquire()) { // want 7
            return;
        }
        try {
            $this->mailer->send((new Email())->subject("imported $file")); // want 8
        } finally {
            $lock->release();
        }
    }
}
