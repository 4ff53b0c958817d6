class Mill
  def initialize(redis = Redis.current)
    @redis = redis
  end

  def grind(batch)
    synchronize("mill:#{batch.id}") do
      flour = HTTParty.get("https://mill.example/#{batch.id}").parsed_response
      Batch.where(id: batch.id).update_all(flour: flour) # want 4
    end
  end

  def weigh(batch)
    ActiveRecord::Base.connection_pool.with_connection do |c|
      return unless c.select_value("SELECT pg_try_advisory_lock(#{batch.id})") # want 13
    end
    batch.update!(weight: scale(batch)) # want 4
  ensure
    ActiveRecord::Base.connection_pool.with_connection { |c| c.execute("SELECT pg_advisory_unlock(#{batch.id})") } # want 10
  end

  private

  def synchronize(name, ttl: 10)
    owner = SecureRandom.hex
    Timeout.timeout(5) { sleep 0.05 until @redis.set("#{name}:lock", owner, nx: true, ex: ttl) }
    yield
  ensure
    @redis.del("#{name}:lock") # want 1 18
  end
end
