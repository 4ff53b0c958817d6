class ImportWorker
  include Sidekiq::Worker

  LOCK = "import:running".freeze

  def perform(path)
    return if redis { |c| c.get(LOCK) }

    redis { |c| c.set(LOCK, jid) } # want 3
    begin
      Importer.new(path).run
    ensure
      redis { |c| c.del(LOCK) } # want 1
    end
  end

  def redis(&block)
    Sidekiq.redis(&block)
  end
end
