module Alone
  def alone_key(*args) = ["alone", *args].join(":")

  def around_perform_alone(*args)
    key = alone_key(*args)
    me = SecureRandom.hex(6)
    kv = Redis.new
    return unless kv.setnx(key, me)

    kv.expire(key, 600) # want 3
    begin
      yield
    ensure
      alone_end(kv, key, me)
    end
  end

  private

  def alone_end(kv, key, me)
    return false unless kv.get(key) == me

    kv.del(key) == 1 # want 2
  end
end
