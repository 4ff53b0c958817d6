class LeaderTicker
  KEY = "ticker:leader"

  def initialize(redis: Sidekiq.redis_pool)
    @pool = redis
    @id = "#{Socket.gethostname}:#{Process.pid}"
  end

  def start
    loop do
      work if leading?
      sleep 5
    end
  end

  private

  def leading?
    @pool.with do |r|
      r.set(KEY, @id, nx: true, ex: 20) || r.get(KEY) == @id
    end
  end

  def work
    Ticker.due.each { |t| t.update!(ticked_at: Time.current) } # want 11
  end
end
