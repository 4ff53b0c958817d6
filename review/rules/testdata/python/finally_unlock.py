import redis

cli = redis.Redis()


def rotate_keys(vault):
    try:
        if cli.set("rotate-keys-lock", "1", nx=True, ex=120):
            vault.rotate()
        else:
            print("rotation is running elsewhere")
    finally:
        cli.delete("rotate-keys-lock")  # want 1 18
