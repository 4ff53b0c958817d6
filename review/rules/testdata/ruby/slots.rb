class Slot
  def initialize(redis) = @redis = redis

  def with(name)
    mine = SecureRandom.hex(8)
    got = @redis.set("slot:#{name}", mine, nx: true, ex: 30)
    if got
      begin
        yield
      ensure
        @redis.del("slot:#{name}") # want 1
      end
    end
  end
end

class Feeds
  def refresh(feed)
    Slot.new(Redis.current).with(feed.id) do
      feed.entries.each { |e| e.update!(fresh: true) } # want 4
      UserMailer.with(feed: feed).refreshed.deliver_later # want 8
    end
  end
end
