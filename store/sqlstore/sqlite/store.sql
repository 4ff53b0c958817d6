-- Reads the identity of this file, the one before, when the change was noticed, and the floor. Where the record is gone the
-- identity is 'lost', and the first acquire makes a new one.
SELECT coalesce(s.identity, 'lost'), coalesce(s.previous_identity, ''), coalesce(s.identity_changed_at, 0), coalesce(s.floor, 0)
FROM (SELECT 1) one LEFT JOIN ringfence_store s ON true
