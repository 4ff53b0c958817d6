import stripe
from django.core.cache import cache
from django.db import transaction


def charge_once(order):
    lock_id = "charge-lock-%d" % order.pk
    if not cache.add(lock_id, "1", 30):  # want 7
        return None
    try:
        intent = stripe.PaymentIntent.create(amount=order.cents, currency="eur")  # want 8
        with transaction.atomic():
            order.intent = intent.id
            order.save(update_fields=["intent"])  # want 4
        return intent
    finally:
        cache.delete(lock_id)  # want 1
