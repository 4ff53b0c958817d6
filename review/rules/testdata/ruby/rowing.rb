require "redis"

# What the boathouse mixes into those who row.
module Boathouse
  def in_boat(boat)
    oar = "boats/#{boat}"
    return unless store.set(oar, rower, nx: true, px: 30_000)

    begin
      yield oar
    ensure
      store.del(oar) # want 1
    end
  end

  def mine?(name)
    store.get(name) == rower
  end

  def store
    @store ||= Redis.new
  end
end

class Trip
  include Boathouse

  attr_reader :rower

  def row(boat, miles)
    in_boat(boat) do |held|
      log = Logbook.find(boat)
      log.update!(miles: miles) if mine?(held) # want 4 12
    end
  end
end
