class RedisLock
  def initialize(redis, name)
    @redis = redis
    @key = "lock:#{name}"
  end

  def synchronize
    return unless @redis.set(@key, Process.pid, nx: true, ex: 30)

    begin
      yield
    ensure
      @redis.del(@key) # want 1
    end
  end
end
