class Loan < ApplicationRecord
  # borrower, holder, due_at
  def self.lend(book, holder)
    create!(book: book, holder: holder, due_at: 2.weeks.from_now)
  end

  def prolong
    update!(due_at: 2.weeks.from_now)
  end

  def overdue?
    due_at < Time.current
  end

  def remind
    return unless overdue?

    LoanMailer.remind(self).deliver_later
  end
end
