class Invoices
  def number(invoice)
    Invoice.transaction do
      Invoice.connection.execute("SELECT pg_advisory_xact_lock(hashtext('invoice-number'))")
      invoice.update!(number: Invoice.maximum(:number).to_i + 1)
    end
  end

  def cached(id)
    Rails.cache.fetch("invoice/#{id}", race_condition_ttl: 5) { Invoice.find(id).as_json }
  end
end
