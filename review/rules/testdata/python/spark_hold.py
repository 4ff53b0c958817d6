import redis
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
kv = redis.Redis()


def rebuild(day):
    spark.read.parquet(f"/raw/{day}").write.mode("overwrite").parquet(f"/cube/{day}")


def main(day):
    with kv.lock("cube/" + day, timeout=90):  # want 7
        rebuild(day)
