class Nightly
  KEY = 4711

  def run
    got = ActiveRecord::Base.connection_pool.with_connection { |c| c.select_value("SELECT pg_try_advisory_lock(#{KEY})") } # want 13
    return unless got

    Invoice.where(state: "due").find_each { |i| Stripe::Charge.create(amount: i.cents, source: i.card) } # want 8
  ensure
    ActiveRecord::Base.connection_pool.with_connection { |c| c.execute("SELECT pg_advisory_unlock(#{KEY})") } # want 10
  end
end
