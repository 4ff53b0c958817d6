import time

import boto3
from boto3.dynamodb.conditions import Attr
from botocore.exceptions import ClientError

resource = boto3.resource("dynamodb")
slots = resource.Table("slots")
meals = resource.Table("meals")


def take(name, cook):
    t = int(time.time())
    try:
        slots.put_item(
            Item={"name": name, "cook": cook, "over": t + 60},  # want 6
            ConditionExpression=Attr("name").not_exists() | Attr("over").lt(t),
        )
    except ClientError as e:
        if e.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        return False
    return True


def cook_meal(name, cook, dish):
    if take(name, cook):
        meals.put_item(Item={"name": name, "dish": dish})  # want 4
        slots.delete_item(Key={"name": name})  # want 1
