class PayoutWorker
  include Sidekiq::Worker

  def perform(seller)
    turn(seller) do
      Stripe::Transfer.create(amount: Balance.for(seller), destination: seller) # want 8
    end
  end

  private

  def turn(seller)
    Sidekiq.redis do |conn|
      return unless conn.set("payout:#{seller}", jid, nx: true, ex: 30)
      begin
        yield
      ensure
        conn.del("payout:#{seller}") if conn.get("payout:#{seller}") == jid # want 2
      end
    end
  end
end
