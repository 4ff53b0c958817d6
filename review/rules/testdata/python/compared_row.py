from .models import Volume


def resize(session, volume_id, size, fencing_token):
    v = session.get(Volume, volume_id)
    if fencing_token < v.fencing_token:
        raise PermissionError("stale holder")
    v.size = size
    v.fencing_token = fencing_token
    session.commit()  # want 15
