-- Gives places at the ends of their lines, $1, in this order. Who has one that has not lapsed keeps it.
INSERT INTO ringfence_line (name, attempt, holder, joined_at, lapses_at)
VALUES $1
ON DUPLICATE KEY UPDATE lapses_at = IF(lapses_at > /*now*/, VALUES(lapses_at), lapses_at)
