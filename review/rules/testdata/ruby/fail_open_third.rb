require "redis"

class Announcer
  def initialize(redis)
    @redis = redis
  end

  def with_lock(name, ttl: 30)
    owner = SecureRandom.hex(8)
    begin
      got = @redis.set("announce:lock:#{name}", owner, nx: true, ex: ttl)
    rescue Redis::CannotConnectError # want 9
      got = true
    end
    return false unless got

    begin
      yield
    ensure
      @redis.del("announce:lock:#{name}") if @redis.get("announce:lock:#{name}") == owner # want 2
    end
  end

  def announce(post)
    with_lock("post:#{post.id}") do
      post.update!(announced: true) # want 4
      PostMailer.announce(post).deliver_now # want 8
    end
  end
end
