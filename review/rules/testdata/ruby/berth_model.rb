require "active_record"

class Berth < ActiveRecord::Base
  def self.moor(id, vessel)
    where(id: id).where("vessel IS NULL OR sails < ?", Time.now).update_all(vessel: vessel, sails: Time.now + 60) == 1 # want 6
  end

  def self.cast(id)
    where(id: id).update_all(vessel: nil) # want 1
  end
end
