-- Ends the current term of the name $1, whose record is locked, for $2.
UPDATE ringfence_lease SET state = 'forced', ended_by = $2, expires_at = /*now*/, batch = $3 WHERE name = $1
