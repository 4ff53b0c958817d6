import redis
from twilio.rest import Client

from settings import REDIS_URL

pool = redis.ConnectionPool.from_url(REDIS_URL)


class Reminder:
    def __init__(self):
        self.redis = redis.Redis(connection_pool=pool)
        self.sms = Client()

    def send(self, appointment):
        with self.redis.lock(f"reminder:{appointment.id}", timeout=30):
            self.sms.messages.create(to=appointment.phone, body="See you tomorrow")  # want 8
