class CronLock < ApplicationRecord
  # name, owner, expires_at
  def self.take(name, owner)
    lock = find_by(name: name)
    return false if lock && lock.expires_at > Time.current # want 6

    if lock
      lock.update!(owner: owner, expires_at: 1.minute.from_now) # want 3 6
    else
      create!(name: name, owner: owner, expires_at: 1.minute.from_now) # want 3 6
    end
    true
  end

  def self.free(name)
    where(name: name).delete_all # want 1
  end
end
