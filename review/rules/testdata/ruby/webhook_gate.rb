class WebhookGate
  SCRIPT = <<~LUA
    if redis.call("get", KEYS[1]) == ARGV[1] then
      return redis.call("del", KEYS[1])
    end
    return 0
  LUA

  def initialize(redis)
    @redis = redis
  end

  def deliver(hook)
    key = "hook:#{hook.id}:lock"
    owner = SecureRandom.uuid
    ok = @redis.set(key, owner, px: 2_000, nx: true) # want 7
    return unless ok

    Faraday.post(hook.url, hook.payload) # want 8
    hook.update!(delivered: true) # want 4
  ensure
    @redis.eval(SCRIPT, keys: [key], argv: [owner]) # want 10
  end

  def redeliver(hook)
    key = "hook:#{hook.id}:lock"
    owner = SecureRandom.uuid
    @redis.set(key, owner, px: 2_000, nx: true) # want 9
    return if @redis.get(key) != owner

    hook.update!(delivered: true) # want 4 12
  ensure
    @redis.eval(SCRIPT, keys: [key], argv: [owner]) # want 10
  end
end
