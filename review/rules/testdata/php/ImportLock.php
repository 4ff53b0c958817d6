<?php
class ImportLock
{
    public function __construct(private Redis $redis) {}
    public function lock(): void
    {
        $this->redis->set('import:lock', '1', ['nx', 'ex' => 60]); // want 9
    }
    public function isLocked(): bool
    {
        return (bool) $this->redis->exists('import:lock');
    }
    public function unlock(): void
    {
        $this->redis->del('import:lock'); // want 1
    }
    public function run(): void
    {
        $this->lock();
        $this->import();
        $this->unlock();
    }
}
