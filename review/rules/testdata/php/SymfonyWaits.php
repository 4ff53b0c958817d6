<?php
use Symfony\Component\Lock\LockFactory;

class SymfonyWaits
{
    public function __construct(private LockFactory $locks) {}
    public function run(): void
    {
        $lock = $this->locks->createLock('report', 60);
        $lock->acquire(true);
        try { $this->build(); } finally { $lock->release(); }
    }
    public function other(): void
    {
        $lock = $this->locks->createLock('other', 60);
        $lock->acquire(); // want 9
        try { $this->build(); } finally { $lock->release(); }
    }
}
