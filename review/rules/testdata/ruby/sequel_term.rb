require "sequel"
require "securerandom"

DB = Sequel.connect(ENV["DB"])

class Scribe
  def initialize(name)
    @name = name
    @term = SecureRandom.uuid # want 5
  end

  def begin(book)
    DB[:books].where(id: book).where { (scribe =~ nil) | (ends_at < Sequel.function(:clock_timestamp)) }
      .update(scribe: @name, ends_at: Sequel.lit("clock_timestamp() + interval '1 minute'")) == 1
  end

  def writing?(book)
    DB[:books].where(id: book, scribe: @name).count == 1
  end

  def page(book, text)
    DB[:pages].where(book: book).where(Sequel.expr(:term) <= @term).update(text: text, term: @term) == 1
  end

  def bind(book)
    raise "gone" unless writing?(book)

    DB[:shelves].where(book: book).update(bound: true) # want 12
  end
end
