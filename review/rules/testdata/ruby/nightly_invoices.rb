require "redis"
require "socket"

class NightlyInvoices
  TTL = 120

  def initialize(redis: Redis.new, host: Socket.gethostname)
    @redis = redis
    @host = host
  end

  def call
    return :busy unless grab
    begin
      Invoice.pending.find_each do |invoice|
        Stripe::Charge.create(amount: invoice.cents, customer: invoice.customer) # want 8
        invoice.update!(state: "charged") # want 4
      end
    ensure
      let_go
    end
  end

  private

  def lock_key
    "invoices:nightly:lock"
  end

  def grab
    @redis.set(lock_key, @host, nx: true, ex: TTL) # want 7
  rescue Redis::BaseError # want 9
    true
  end

  def let_go
    @redis.del(lock_key) # want 1
  end
end
