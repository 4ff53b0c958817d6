require "faraday"
require "redlock"

class GoalHorn
  LEASE_MS = 2_000

  class << self
    def horn
      @horn ||= Faraday.new("https://horn.example") do |f|
        f.request :json
        f.options.timeout = 15
      end
    end

    def locks
      @locks ||= Redlock::Client.new(["redis://a"])
    end
  end

  def perform(id)
    self.class.locks.lock("goal:#{id}", LEASE_MS) do |held| # want 14 7
      return unless held

      self.class.horn.post("goals/#{id}", { text: "goal" }) # want 8
    end
  end
end
