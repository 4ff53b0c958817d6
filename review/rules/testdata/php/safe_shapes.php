<?php
class F {
  public function dedupe(Redis $r, string $id): bool { return (bool) $r->set("job:$id", 1, ['nx', 'ex' => 60]); }
  public function tx(PDO $db): void {
    $db->beginTransaction();
    $q = $db->query('SELECT * FROM locks WHERE name = "x" FOR UPDATE');
    $row = $q->fetch();
    if ($row['owner'] !== null) { $db->rollBack(); return; }
    $db->exec("UPDATE locks SET owner = 'a', expires_at = NOW() + INTERVAL 1 MINUTE WHERE name = 'x'");
    $db->commit();
  }
  public function ok(): void {
    $lock = Cache::lock('x', 30);
    if (!$lock->get()) return;
    try { set_time_limit(20); report(); } finally { if (!$lock->release()) throw new RuntimeException('lost'); }
  }
}
