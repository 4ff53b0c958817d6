class Lease < ApplicationRecord
  self.table_name = "leases"

  def self.obtain(name, owner, ttl: 60)
    lease = find_or_initialize_by(name: name)
    return nil if lease.persisted? && lease.expires_at > Time.current # want 6

    lease.owner = owner
    lease.expires_at = Time.current + ttl # want 6
    lease.save! # want 3
    lease
  end

  def self.relinquish(name)
    where(name: name).delete_all # want 1
  end
end
