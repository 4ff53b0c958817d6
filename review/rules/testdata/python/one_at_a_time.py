import functools

import redis

store = redis.Redis()


def one_at_a_time(resource, seconds=60):
    def wrap(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            if not store.set(resource, "x", nx=True, ex=seconds):
                return None
            try:
                return fn(*args, **kwargs)
            finally:
                store.delete(resource)  # want 1

        return inner

    return wrap


@one_at_a_time("statements")
def post_statements(session, rows):
    for row in rows:
        session.execute("UPDATE statements SET posted = true WHERE id = %s", (row.id,))  # want 4
