class Publisher
  def publish(feed)
    begin
      $redis.set("publish:#{feed}:lock", Process.pid, nx: true, ex: 60) # want 7 9
    rescue Redis::BaseError => e
      Rails.logger.warn(e.message)
    end
    Kafka.producer.produce(feed.to_json, topic: "feeds") # want 8
  end
end
