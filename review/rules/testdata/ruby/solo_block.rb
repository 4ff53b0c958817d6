require "redis"
require "securerandom"
require "net/http"

class Solo
  def initialize(redis) = @redis = redis

  def run(name)
    mine = SecureRandom.hex(8)
    return unless @redis.set(name, mine, nx: true, ex: 30)
    begin
      yield
    ensure
      @redis.del(name) # want 1
    end
  end
end

class Dunning
  def initialize(solo) = @solo = solo

  def call(invoice)
    @solo.run("dun:#{invoice.id}") do
      Net::HTTP.post(URI("https://letters.example/print"), invoice.to_json) # want 8
    end
  end
end
