from datetime import timedelta

from django.db import models
from django.utils import timezone


class TaskLock(models.Model):
    slug = models.SlugField(unique=True)
    locked_by = models.CharField(max_length=64, null=True)
    locked_until = models.DateTimeField(null=True)

    class Meta:
        db_table = "task_lock"

    @classmethod
    def claim(cls, slug, worker, minutes=5):
        obj, created = cls.objects.get_or_create(slug=slug)
        if not created and obj.locked_until and obj.locked_until > timezone.now():  # want 6
            return None
        obj.locked_by = worker
        obj.locked_until = timezone.now() + timedelta(minutes=minutes)  # want 6
        obj.save()  # want 3
        return obj

    def free(self):
        self.locked_by = None
        self.locked_until = None
        self.save(update_fields=["locked_by", "locked_until"])  # want 1
