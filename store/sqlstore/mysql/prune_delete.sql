-- Removes up to $2 records that have been over for $1 milliseconds and whose token is not above the floor $3.
DELETE FROM ringfence_lease WHERE expires_at <= /*now*/ - $1 * 1000 AND token <= $3 LIMIT $2
