require "redlock"
require "net/http"

LOCKS = Redlock::Client.new(["redis://a:6379", "redis://b:6379", "redis://c:6379"])

class Payouts
  def run(shop)
    info = LOCKS.lock("payouts:#{shop.id}", 4_000) # want 7 14
    raise "busy" unless info

    Net::HTTP.post(URI("https://bank.example/pay"), shop.due.to_json) # want 8
    shop.update_columns(paid_at: Time.current) # want 4
  ensure
    LOCKS.unlock(info) if info
  end

  def soft(shop)
    LOCKS.lock("payouts:#{shop.id}:soft", 4_000) do |got| # want 9 14
      Rails.logger.info("no lock") unless got
      shop.update!(soft: true) # want 4
    end
  end
end
