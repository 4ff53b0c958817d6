require "redlock"

class Transfer
  def initialize(urls)
    @manager = Redlock::Client.new(urls)
  end

  def call(from, to, cents)
    info = @manager.lock("transfer:#{from.id}", 4_000) # want 14
    return :busy unless info

    from.decrement!(:cents, cents) # want 4
    to.increment!(:cents, cents) # want 4
    :ok
  ensure
    @manager.unlock(info) if info
  end
end
