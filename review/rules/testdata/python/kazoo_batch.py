import smtplib
from email.message import EmailMessage

from kazoo.client import KazooClient
from pymongo import MongoClient

zk = KazooClient(hosts="zk:2181")
zk.start()
lists = MongoClient().shop.lists


def digest(name: str) -> None:
    lock = zk.Lock(f"/digest/{name}", "me")
    lock.acquire(blocking=False)  # want 9
    try:
        lists.update_one({"_id": name}, {"$set": {"sent": True}})  # want 4
        msg = EmailMessage()
        msg["To"] = name
        with smtplib.SMTP("mail") as smtp:
            smtp.send_message(msg)  # want 8
    finally:
        lock.release()  # want 10
