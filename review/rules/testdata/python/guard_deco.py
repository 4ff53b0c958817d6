from functools import wraps

from django.db import connection
from django.core.mail import EmailMessage


def single(n):
    def deco(f):
        @wraps(f)
        def inner(*a, **k):
            with connection.cursor() as c:
                c.execute("SELECT pg_try_advisory_lock(%s)", [n])
                if not c.fetchone()[0]:
                    return
                try:
                    return f(*a, **k)
                finally:
                    c.execute("SELECT pg_advisory_unlock(%s)", [n])  # want 10
        return inner
    return deco


@single(42)
def remind():
    EmailMessage("Rent", "due", to=["x@y.example"]).send()  # want 8
