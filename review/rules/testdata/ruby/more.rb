require "redis"
class More
  REDIS = Redis.new
  def self.exclusively(name, ttl: 30)
    token = SecureRandom.uuid
    raise "busy" unless REDIS.set(name, token, nx: true, ex: ttl)
    yield
  ensure
    REDIS.del(name) # want 1 18
  end

  def pay(order)
    More.exclusively("pay:#{order.id}") do
      Stripe::Charge.create(amount: order.cents, currency: "eur") # want 8
      order.update!(paid: true) # want 4
    end
  end

  def lead
    return unless leader?
    Job.where(state: "new").update_all(node: hostname) # want 11
  end

  def leader?
    REDIS.set("leader", hostname, nx: true, ex: 10) || REDIS.get("leader") == hostname
  end

  def mysql
    ok = ActiveRecord::Base.connection.select_value("SELECT GET_LOCK('x', 5)") # want 9
    begin
      Thing.update_all(a: 1) # want 4
    ensure
      ActiveRecord::Base.connection.execute("SELECT RELEASE_LOCK('x')") # want 10
    end
  end
end
