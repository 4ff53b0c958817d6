require "redis"
require "net/http"
class Dun
  def call(invoice)
    return unless @redis.set("dun:lock", "1", nx: true, ex: 30) # want 7
    Net::HTTP.post(URI("https://letters.example/print"), invoice.to_json) # want 8
    req = Net::HTTP::Post.new("/x")
    http = Net::HTTP.new("h")
    http.request(req) # want 8
  ensure
    @redis.del("dun:lock") # want 1 18
  end
end
