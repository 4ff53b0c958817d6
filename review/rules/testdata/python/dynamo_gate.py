import time

import boto3
from botocore.exceptions import ClientError

table = boto3.resource("dynamodb").Table("job_locks")


def take(job: str, owner: str, seconds: int = 120) -> bool:
    now = int(time.time())
    try:
        table.put_item(
            Item={"job": job, "owner": owner, "expires": now + seconds},  # want 6
            ConditionExpression="attribute_not_exists(job) OR expires < :now",
            ExpressionAttributeValues={":now": now},
        )
        return True
    except ClientError as e:
        if e.response["Error"]["Code"] == "ConditionalCheckFailedException":
            return False
        raise


def give_back(job: str) -> None:
    table.delete_item(Key={"job": job})  # want 1
