class Export < ApplicationRecord
  def self.claim(worker)
    transaction do
      export = where(state: "ready").order(:id).lock("FOR UPDATE SKIP LOCKED").first
      return nil if export.nil?
      export.locked_by = worker
      export.locked_at = Time.current
      export.state = "running"
      export.save!
      export
    end
  end
end
