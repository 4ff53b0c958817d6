class Yard
  def initialize(pool)
    @pool = pool
    @mine = SecureRandom.uuid
  end

  def with(name)
    raise "busy" unless @pool.call("SET", "yard:#{name}", @mine, "NX", "EX", 10)

    begin
      yield
    ensure
      @pool.call("GET", "yard:#{name}") == @mine && @pool.call("DEL", "yard:#{name}") # want 2
    end
  end

  def lead(me, session)
    Ship.where(berth: nil).update_all(berth: me) if Diplomat::Lock.acquire("yard/leader", session, me) # want 11
  end
end
