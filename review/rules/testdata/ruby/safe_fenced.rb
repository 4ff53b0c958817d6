class Publisher
  class Superseded < StandardError; end

  def publish(document, body, lease)
    Timeout.timeout(lease.seconds_left / 2) do
      changed = Document.where(id: document.id).where("fence <= ?", lease.fence).update_all(body: body, fence: lease.fence)
      raise Superseded if changed.zero?
    end
  end
end
