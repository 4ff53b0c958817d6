require "bunny"
require "redlock"

class Harvest
  def initialize(redis, channel)
    @redis = redis
    @exchange = channel.default_exchange
  end

  def run(field)
    return unless @redis.set("harvest:lock:#{field.id}", me, nx: true, ex: 15) # want 7

    field.rows.each { |row| pick(row) }
  ensure
    drop(field) # want 18
  end

  private

  def me
    @me ||= SecureRandom.uuid
  end

  def pick(row)
    @exchange.publish(row.id.to_s, routing_key: "picked") # want 8
    row.update!(picked: true) # want 4
  end

  def drop(field)
    @redis.del("harvest:lock:#{field.id}") if @redis.get("harvest:lock:#{field.id}") == me # want 2
  end
end
