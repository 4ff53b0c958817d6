class AdvisoryBlock
  def self.try(id)
    conn = ActiveRecord::Base.connection
    taken = conn.select_value("SELECT pg_try_advisory_lock(#{id})")
    return false unless taken
    yield
  ensure
    ActiveRecord::Base.connection.execute("SELECT pg_advisory_unlock(#{id})") # want 10
  end
end
