import boto3
import etcd3

s3 = boto3.resource("s3")


def job(name):
    client = etcd3.client()
    lock = client.lock(name, ttl=20)
    lock.acquire()  # want 9
    obj = s3.Object("reports", name)
    obj.put(Body=b"made")  # want 4
    lock.release()  # want 10
