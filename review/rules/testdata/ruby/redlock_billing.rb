require "redlock"

LOCKS = Redlock::Client.new(["redis://a", "redis://b", "redis://c"])

class Billing
  def close(account)
    LOCKS.lock("close:#{account.id}", 5_000) do |locked| # want 14
      if locked
        Stripe::Charge.create(amount: account.due, currency: "eur", customer: account.customer) # want 8
        account.update!(due: 0) # want 4
      end
    end
  end
end
