# frozen_string_literal: true

require "redis"
require "securerandom"

module Billing
  class RedisMutex
    TTL_MS = 20_000

    attr_reader :key

    def initialize(redis, key)
      @redis = redis
      @key = "mutex/#{key}"
      @id = SecureRandom.uuid
    end

    def synchronize
      raise Busy unless @redis.set(key, @id, px: TTL_MS, nx: true)

      yield
    ensure
      @redis.del(key) if @redis.get(key) == @id # want 2
    end

    class Busy < StandardError; end
  end

  class Dunning
    def call(invoice)
      RedisMutex.new(Redis.new, invoice.id).synchronize do
        Stripe::Charge.create(amount: invoice.cents, customer: invoice.customer) # want 8
        invoice.update!(paid_at: Time.current) # want 4
      end
    end
  end
end
