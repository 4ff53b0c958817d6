class Registry
  def initialize
    @mutex = Mutex.new
    @items = {}
  end

  def put(key, value)
    @mutex.lock
    @items[key] = value
    Setting.where(key: key).update_all(value: value)
  ensure
    @mutex.unlock
  end
end
