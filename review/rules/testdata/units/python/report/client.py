import redis

store = redis.Redis()
