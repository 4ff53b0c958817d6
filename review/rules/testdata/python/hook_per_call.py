from airflow.models import BaseOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook


class Alone(BaseOperator):
    def execute(self, context):
        pg = PostgresHook("mart")
        (free,) = pg.get_first("SELECT pg_try_advisory_lock(812)")  # want 13
        if not free:
            return
        try:
            self.step(pg)
        finally:
            ended = pg.get_first("SELECT pg_advisory_unlock(812)")
            self.log.info("ended: %s", ended)
