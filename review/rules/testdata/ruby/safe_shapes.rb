class E
  RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end"
  def with_lock_for(redis, key)
    owner = SecureRandom.hex
    return false unless redis.set(key, owner, nx: true, px: 10_000)
    begin
      Timeout.timeout(8) { yield }
    ensure
      raise "lost" unless redis.eval(RELEASE, [key], [owner]) == 1
    end
  end
  def fetch(id) = Rails.cache.fetch("lock-#{id}", expires_in: 60) { compute(id) }
  def charge(order)
    order.with_lock { Stripe::Charge.create({ amount: 1 }, idempotency_key: order.id) }
  end
  def lock_door(door) = door.update!(locked: true, locked_at: Time.current)
end
