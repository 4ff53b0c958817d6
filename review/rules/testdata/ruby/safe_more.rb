class SafeMore
  MUTEX = Mutex.new

  def local
    MUTEX.synchronize { @value ||= compute }
  end

  def once?(redis, id)
    redis.set("seen:#{id}", 1, nx: true, ex: 3600)
  end

  def page(redis, key)
    redis.del("page:#{key}") if redis.exists?("page:#{key}")
  end

  def counted(account)
    account.with_lock do
      account.update!(cents: account.cents + 1)
    end
  end

  def sequential(name)
    ActiveRecord::Base.transaction do
      ActiveRecord::Base.connection.execute("SELECT pg_advisory_xact_lock(#{name.hash})")
      Report.create!(name: name)
    end
  end
end
