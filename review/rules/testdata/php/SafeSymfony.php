<?php

use Symfony\Component\Lock\LockFactory;

final class SafeSymfony
{
    public function __construct(private LockFactory $factory)
    {
    }

    public function warm(string $page, callable $render): ?string
    {
        $lock = $this->factory->createLock("warm-$page", 30, false);
        if (!$lock->acquire()) {
            return null;
        }
        try {
            set_time_limit(20);
            return $render();
        } finally {
            $lock->release();
        }
    }
}
