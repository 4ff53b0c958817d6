-- Reads the identity of this file, the one before, when the change was noticed, and the floor.
SELECT s.identity, s.previous_identity, coalesce(s.identity_changed_at, 0), s.floor
FROM ringfence_store s
