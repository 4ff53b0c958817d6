from celery import shared_task
from django.core.cache import cache

from feeds.models import Feed

LOCK_EXPIRE = 60 * 10


@shared_task(bind=True)
def import_feed(self, feed_url):
    lock_id = "{0}-lock-{1}".format(self.name, hash(feed_url))
    acquired = cache.add(lock_id, self.app.oid, LOCK_EXPIRE)
    if not acquired:
        return
    try:
        Feed.objects.import_feed(feed_url)
    finally:
        cache.delete(lock_id)  # want 1
