require "diplomat"

class Warden
  KEY = "gates/leader"

  def run
    @session = Diplomat::Session.create(Name: "warden", TTL: "20s")
    return unless Diplomat::Lock.acquire(KEY, @session, "warden")

    Gate.all.each { |gate| shut(gate) }
  end

  def leader?
    Diplomat::Kv.get(KEY, { session: true }, :return) == @session
  end

  def shut(gate)
    return unless leader?

    gate.update!(shut: true) # want 11 12
  end
end
