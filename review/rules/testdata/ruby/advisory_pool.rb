class Compactor
  KEY = 90210

  def run
    ActiveRecord::Base.connection_pool.with_connection do |c|
      return unless c.select_value("SELECT pg_try_advisory_lock(#{KEY})") # want 13
    end
    Event.where(old: true).delete_all # want 4
  ensure
    ActiveRecord::Base.connection_pool.with_connection do |c|
      c.execute("SELECT pg_advisory_unlock(#{KEY})") # want 10
    end
  end
end
