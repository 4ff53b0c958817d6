<?php
class Export
{
    private $mc;

    public function __construct()
    {
        $this->mc = new Memcached();
    }

    private function busy($name)
    {
        return $this->mc->get('export_' . $name) !== false;
    }

    private function begin($name)
    {
        return $this->mc->set('export_' . $name, 1); // want 3
    }

    private function end($name)
    {
        return $this->mc->delete('export_' . $name); // want 1
    }

    public function run($name)
    {
        if ($this->busy($name)) {
            return;
        }
        $this->begin($name);
        try {
            $this->write($name);
        } finally {
            $this->end($name);
        }
    }
}
