-- Removes up to $2 records that have been over for $1 milliseconds and whose token is not above the floor $3.
DELETE FROM ringfence.lease
WHERE ctid = ANY (ARRAY(
    SELECT ctid
    FROM ringfence.lease
    WHERE expires_at <= clock_timestamp() - $1::bigint * interval '1 millisecond' AND token <= $3::bigint
    LIMIT $2
    FOR UPDATE SKIP LOCKED
))
