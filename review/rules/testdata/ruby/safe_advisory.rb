class Renumber
  def call(series)
    ActiveRecord::Base.transaction do
      ActiveRecord::Base.connection.execute("SELECT pg_advisory_xact_lock(#{series.id})")
      series.update!(last: series.last + 1)
    end
  end

  def fold(order)
    order.with_lock do
      order.update!(state: "folded")
    end
  end
end
