from django.core.cache import cache
from django.core.mail import EmailMultiAlternatives


def letter(member):
    return EmailMultiAlternatives("Dues", "…", "club@x.example", [member.mail])


def remind(member):
    if not cache.add(f"dues:{member.pk}:lock", "1", 60):  # want 7
        return
    try:
        letter(member).send()  # want 8
    finally:
        cache.delete(f"dues:{member.pk}:lock")  # want 1
