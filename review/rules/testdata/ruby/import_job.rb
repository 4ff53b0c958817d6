class ImportJob
  include Sidekiq::Job

  def perform(shop_id)
    lock = "import:#{shop_id}:lock"
    Sidekiq.redis do |conn|
      return if conn.call("SET", lock, jid, "NX", "EX", 900).nil?
    end
    begin
      Shop.find(shop_id).products.insert_all(rows(shop_id)) # want 4
    ensure
      Sidekiq.redis { |conn| conn.call("DEL", lock) } # want 1
    end
  end

  def rows(shop_id)
    []
  end
end
