from redlock import Redlock

from orders.models import Order

dlm = Redlock([{"host": "r1"}, {"host": "r2"}, {"host": "r3"}])


def ship(order_id):
    lock = dlm.lock(f"ship:{order_id}", 10000)  # want 14
    if not lock:
        return False
    try:
        order = Order.objects.get(pk=order_id)
        order.state = "shipped"
        order.save()  # want 4
    finally:
        dlm.unlock(lock)
    return True
