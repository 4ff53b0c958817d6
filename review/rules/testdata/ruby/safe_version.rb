class Stock < ApplicationRecord
  def self.take(id, n)
    10.times do
      row = find(id)
      return true if where(id: id, version: row.version).update_all(n: row.n - n, version: row.version + 1) == 1
    end
    false
  end
end
