require "dalli"
class Warm
  def initialize(mc = Dalli::Client.new("mc:11211"), http)
    @mc = mc
    @http = http
  end

  def call(page)
    unless @mc.add("warm/#{page}", Process.pid, 20) # want 7
      return
    end
    @http.post("/warm", page: page) # want 8
  ensure
    @mc.delete("warm/#{page}") # want 1 18
  end
end
