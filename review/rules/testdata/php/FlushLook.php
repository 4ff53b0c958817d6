<?php

use App\Entity\Stall;
use Doctrine\ORM\EntityManagerInterface;
use Symfony\Component\Lock\LockFactory;

final class FlushLook
{
    public function __construct(private LockFactory $locks, private EntityManagerInterface $em) {}

    public function rename(int $id, string $name): void
    {
        $lock = $this->locks->createLock('stall-' . $id, 40.0, false);
        if (!$lock->acquire()) {
            throw new RuntimeException('busy');
        }
        try {
            $stall = $this->em->find(Stall::class, $id);
            $stall->sign()->paint($name);
            if (!$lock->isAcquired()) {
                return;
            }
            $this->em->flush(); // want 4 12
        } finally {
            $lock->release();
        }
    }

    public function look(int $id): string
    {
        $lock = $this->locks->createLock('stall-' . $id, 40.0, false);
        if (!$lock->acquire()) {
            return '';
        }
        try {
            $stall = $this->em->find(Stall::class, $id);
            $name = $stall->getName();
            if (!$lock->isAcquired()) {
                return '';
            }
            $this->em->flush();
            return $name;
        } finally {
            $lock->release();
        }
    }
}
