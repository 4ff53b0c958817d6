class OwnedKey
  def initialize(redis, name)
    @redis, @name = redis, "lock:#{name}"
  end

  def acquire
    @value = SecureRandom.hex(10)
    @redis.call("SET", @name, @value, "NX", "PX", 20_000) == "OK"
  end

  def release
    return false unless @redis.call("GET", @name) == @value

    @redis.call("DEL", @name) # want 2
    true
  end
end
