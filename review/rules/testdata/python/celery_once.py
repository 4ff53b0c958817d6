from celery import shared_task
from django.core.cache import cache
from django.core.mail import send_mail


@shared_task(bind=True)
def digest(self, user_id):
    slot = f"digest-{user_id}"
    if not cache.add(slot, self.request.id, 60 * 5):  # want 7
        return "busy"
    try:
        send_mail("Digest", "…", "a@b.example", [user_id])  # want 8
    finally:
        cache.delete(slot)  # want 1
