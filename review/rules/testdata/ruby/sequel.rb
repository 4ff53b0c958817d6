require "sequel"
DB = Sequel.connect(ENV["DB"])

def grab(id, me)
  now = Time.now # want 6
  DB[:tills].where(id: id).where { (clerk =~ nil) | (closes < now) }.update(clerk: me, closes: now + 60) == 1 # want 6
end

def leave(id)
  DB[:tills].where(id: id).update(clerk: nil) # want 1
end
