require "redis"
require "securerandom"

class SafeLock
  RELEASE = <<~LUA
    if redis.call("get", KEYS[1]) == ARGV[1] then
      return redis.call("del", KEYS[1])
    else
      return 0
    end
  LUA

  Lost = Class.new(StandardError)

  def initialize(redis)
    @redis = redis
    @sha = redis.script(:load, RELEASE)
  end

  def acquire(name, ms)
    owner = SecureRandom.hex(16)
    @redis.set("mutex:#{name}", owner, nx: true, px: ms) ? owner : nil
  end

  def release(name, owner)
    raise Lost, name unless @redis.evalsha(@sha, keys: ["mutex:#{name}"], argv: [owner]) == 1
  end
end
