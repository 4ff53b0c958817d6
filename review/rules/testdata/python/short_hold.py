import secrets

import redis

TTL_SECONDS = 30
conn = redis.Redis()


def lock_tenant(tenant_id):
    token = secrets.token_hex(16)
    if conn.set(f"tenant:{tenant_id}:lock", token, nx=True, px=TTL_SECONDS):  # want 20
        return token
    return None
