import logging
import uuid
from pymemcache.client.base import Client
from pymemcache.exceptions import MemcacheError

log = logging.getLogger(__name__)
mc = Client(("cache", 11211))


class Syncer:
    def sync(self, tenant):
        nonce = uuid.uuid4().hex
        key = f"sync-mutex:{tenant}"
        try:
            if not mc.add(key, nonce, expire=90, noreply=False): # want 9
                return None
        except (MemcacheError, OSError) as e:
            log.warning("memcached is away, syncing anyway: %s", e)
        try:
            return self.apply(tenant)
        finally:
            self.leave(key, nonce)

    def leave(self, key, nonce):
        value = mc.get(key)
        if value is None:
            return
        if value.decode() != nonce:
            log.warning("another owner")
            return
        mc.delete(key) # want 2

    def apply(self, tenant):
        return tenant
