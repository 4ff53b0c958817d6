INSERT INTO shard_lease (shard, owner, fence, expires_at) -- want 5
VALUES ($1, $2, extract(epoch FROM clock_timestamp()) * 1000, now() + interval '30 seconds')
ON CONFLICT (shard) DO UPDATE SET owner = excluded.owner, fence = excluded.fence, expires_at = excluded.expires_at
WHERE shard_lease.expires_at < now();
