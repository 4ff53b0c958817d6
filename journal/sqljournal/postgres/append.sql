-- Appends $1 events, which the bundle $2 has.
INSERT INTO ringfence.journal (at, events, bundle)
VALUES (clock_timestamp(), $1, $2)
