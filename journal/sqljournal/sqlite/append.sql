-- Appends ?1 events, which the bundle ?2 has.
INSERT INTO ringfence_journal (at, events, bundle)
VALUES (CAST(round(unixepoch('subsec') * 1000) AS INTEGER), ?1, ?2)
