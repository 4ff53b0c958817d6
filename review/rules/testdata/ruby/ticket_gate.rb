require "redis"
require "securerandom"

class TicketGate
  TTL = 25

  def initialize(redis = Redis.new)
    @redis = redis
  end

  def with_gate(event_id)
    key = "gate:#{event_id}:lock"
    return false unless @redis.set(key, SecureRandom.uuid, nx: true, ex: TTL)

    begin
      yield
    ensure
      @redis.del(key) # want 1
    end
    true
  end
end
