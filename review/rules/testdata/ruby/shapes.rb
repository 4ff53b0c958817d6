require "redlock"
require "redis"

class Shapes
  LOCKS = Redlock::Client.new(["redis://a", "redis://b", "redis://c"])

  def bill(invoice)
    LOCKS.lock("bill:#{invoice.id}", 5000) do |held| # want 14
      raise "busy" unless held

      invoice.update!(billed: true) # want 4
    end
  end

  def rebuild
    return unless Rails.cache.write("rebuild-lock", Process.pid, unless_exist: true, expires_in: 60)

    begin
      Catalog.rebuild
    ensure
      Rails.cache.delete("rebuild-lock") # want 1
    end
  end

  def digest(redis)
    return unless redis.set("lock:digest", "1", nx: true, ex: 600) # want 7

    DigestMailer.weekly.deliver_now # want 8
    redis.del("lock:digest") # want 1
  end
end
