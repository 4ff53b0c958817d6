class Lease < ApplicationRecord
  def self.take(name, owner)
    lease = find_or_initialize_by(name: name)
    return nil if lease.expires_at && lease.expires_at > Time.now # want 6

    lease.owner = owner
    lease.expires_at = Time.now + 60 # want 6
    lease.save! # want 3
    lease
  end
end
