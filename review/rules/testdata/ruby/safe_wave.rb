require "monitor"

class Safe
  CHECK_AND_DEL = <<~LUA
    if redis.call("get", KEYS[1]) == ARGV[1] then
      return redis.call("del", KEYS[1])
    else
      return 0
    end
  LUA

  def initialize(redis)
    @redis = redis
    @mon = Monitor.new
    @owner = SecureRandom.hex
  end

  def release(name)
    @redis.eval(CHECK_AND_DEL, keys: [name], argv: [@owner]) == 1
  end

  def bump
    @mon.synchronize { Counter.first.update!(n: 1) }
  end

  def pay(order)
    order.with_lock do
      order.update!(paid: true)
    end
  end

  def file(path)
    File.open(path, File::RDWR | File::CREAT) do |f|
      f.flock(File::LOCK_EX)
      f.write("x")
    end
  end

  def first_time?(event_id)
    @redis.set("event:#{event_id}", 1, nx: true, ex: 3600)
  end

  def cached(key)
    Rails.cache.fetch(key, expires_in: 60, race_condition_ttl: 5) { Article.find(1).to_json }
  end

  def xact(id)
    ActiveRecord::Base.transaction do
      ActiveRecord::Base.connection.execute("SELECT pg_advisory_xact_lock(#{id.to_i})")
      Account.where(id: id).update_all("balance = balance + 1")
    end
  end
end
