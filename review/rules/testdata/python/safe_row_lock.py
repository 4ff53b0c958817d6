from django.db import connection, transaction

from shop.models import Coupon


@transaction.atomic
def redeem(code, user):
    coupon = Coupon.objects.select_for_update().get(code=code)
    if coupon.left == 0:
        raise ValueError("used up")
    coupon.left -= 1
    coupon.save(update_fields=["left"])


def renumber(year):
    with transaction.atomic():
        with connection.cursor() as cur:
            cur.execute("SELECT pg_advisory_xact_lock(%s)", [year])
            cur.execute("UPDATE invoices SET number = nextval('invoice_no') WHERE year = %s AND number IS NULL", [year])
