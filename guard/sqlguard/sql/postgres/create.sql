-- Create the mark of a resource unless somebody else just did.
INSERT INTO ringfence.mark (resource, lease, token, seq, key, at)
VALUES ($1, $2, $3, $4, $5, clock_timestamp())
ON CONFLICT (resource) DO NOTHING
