import time

import boto3
from botocore.exceptions import ClientError

claims = boto3.resource("dynamodb").Table("claims")
meters = boto3.resource("dynamodb").Table("meters")


def claim(meter: str, who: str) -> bool:
    try:
        claims.put_item(
            Item={"meter": meter, "reader": who, "good_until": int(time.time()) + 120},  # want 6
            ConditionExpression="attribute_not_exists(meter) OR good_until < :now",
            ExpressionAttributeValues={":now": int(time.time())},
        )
        return True
    except ClientError as e:
        if e.response["Error"]["Code"] == "ConditionalCheckFailedException":
            return False
        raise


def read(meter: str, who: str, value: int) -> None:
    if not claim(meter, who):
        return
    try:
        meters.update_item(Key={"id": meter}, UpdateExpression="SET v = :v", ExpressionAttributeValues={":v": value})  # want 4
    finally:
        claims.delete_item(Key={"meter": meter})  # want 1
