-- Appends $1 events, which the bundle $2 has.
INSERT INTO ringfence_journal (at, events, bundle)
VALUES (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), $1, $2)
