class HookController < ApplicationController
  def create
    first = redis.set("hook:#{params[:id]}", 1, nx: true, ex: 1.day.to_i)
    return head(:ok) unless first

    HookJob.perform_later(params[:id])
    head :accepted
  rescue StandardError
    redis.del("hook:#{params[:id]}")
    raise
  end

  def bump
    Rails.cache.write("views/#{params[:id]}", 1, unless_exist: true, expires_in: 1.hour)
    Rails.cache.delete("page/#{params[:id]}")
  end
end
