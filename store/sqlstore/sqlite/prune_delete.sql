-- Removes up to ?2 records that have been over for ?1 milliseconds and whose token is not above the floor ?3.
DELETE FROM ringfence_lease
WHERE name IN (
    SELECT name
    FROM ringfence_lease
    WHERE expires_at <= CAST(round(unixepoch('subsec') * 1000) AS INTEGER) - ?1 AND token <= ?3
    LIMIT ?2
)
