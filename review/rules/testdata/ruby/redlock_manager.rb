class Payouts
  def initialize(urls)
    @manager = Redlock::Client.new(urls)
  end

  def call(merchant)
    lock = @manager.lock("payout:#{merchant.id}", 2000) # want 7 14
    return unless lock

    Net::HTTP.post(URI("https://bank.example/payouts"), merchant.to_json) # want 8
    merchant.update!(paid: true) # want 4
  ensure
    @manager.unlock(lock) if lock
  end
end
