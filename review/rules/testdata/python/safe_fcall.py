import secrets

import valkey


class Lease:
    """The functions acquire and release of library lease compare the owner."""

    def __init__(self, name):
        self.client = valkey.Valkey()
        self.name, self.owner = name, secrets.token_hex(16)

    def take(self, ms):
        return self.client.fcall("lease_acquire", 1, self.name, self.owner, ms)

    def give(self):
        if self.client.fcall("lease_release", 1, self.name, self.owner) != 1:
            raise RuntimeError(f"{self.name} was lost")
