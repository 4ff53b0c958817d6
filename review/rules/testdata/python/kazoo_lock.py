from kazoo.client import KazooClient


def rotate(zk: KazooClient, keys, vault):
    turn = zk.Lock("/keys/rotate", "rotator")
    with turn:
        for k in keys:
            vault.execute("UPDATE secrets SET value = gen_random_bytes(32) WHERE id = %s", (k,))  # want 4
