-- Trust a key.
INSERT INTO ringfence.guard_key (id, authority, audience, inner_pad, outer_pad) VALUES ($1, $2, $3, $4, $5)
