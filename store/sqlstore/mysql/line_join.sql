-- Gives the attempt $2 of the holder $3 a place at the end of the line for the name $1, for $4 milliseconds from now.
INSERT INTO ringfence_line (name, attempt, holder, joined_at, lapses_at)
VALUES ($1, $2, $3, /*now*/, /*now*/ + $4 * 1000)
ON DUPLICATE KEY UPDATE lapses_at = VALUES(lapses_at)
