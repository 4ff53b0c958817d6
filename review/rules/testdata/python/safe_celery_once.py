from celery import Celery
from redis import Redis

app = Celery()
redis = Redis()


@app.task(bind=True, autoretry_for=(IOError,))
def send_receipt(self, order_id):
    if not redis.set(f"receipt-sent:{order_id}", self.request.id, nx=True, ex=86400):
        return "already sent"
    mailer.send_receipt(order_id)
    return "sent"


@app.task
def refresh_dashboard():
    if redis.set("dashboard:debounce", 1, nx=True, ex=5):
        rebuild_dashboard()
