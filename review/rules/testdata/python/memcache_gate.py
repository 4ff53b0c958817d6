from pymemcache.client.base import Client
import requests

mc = Client(("mc", 11211))


def push_inventory(items):
    if not mc.add("inventory-push", "running", expire=120, noreply=False):
        return
    try:
        requests.post("https://erp.invalid/inventory", json=items)  # want 8
    finally:
        mc.delete("inventory-push")  # want 1
