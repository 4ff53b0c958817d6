class SyncJob < ApplicationJob
  def perform(shop_id)
    lock_name = "sync_lock/#{shop_id}"
    return unless Rails.cache.write(lock_name, true, unless_exist: true, expires_in: 10.minutes)

    Shop.find(shop_id).update!(synced_at: Time.current) # want 4
  ensure
    Rails.cache.delete(lock_name) # want 1 18
  end
end
