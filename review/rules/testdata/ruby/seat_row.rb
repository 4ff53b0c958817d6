class Seat < ApplicationRecord
  def self.sit(id, who)
    seat = find(id)
    return false if seat.sitter && seat.leaves > Time.current # want 6

    seat.update!(sitter: who, leaves: 2.minutes.from_now) # want 3 6
    true
  end

  def self.stand(id)
    find(id).update!(sitter: nil) # want 1
  end
end
