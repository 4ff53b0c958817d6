class ShopSync
  def call(shop)
    RedisLock.new(REDIS, "shop-#{shop.id}").synchronize do
      shop.update!(synced: true) # want 4
    end
  end
end
