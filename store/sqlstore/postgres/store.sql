-- Reads which server answers, which one was there before, when the change was noticed, and the floor.
SELECT p.present,
       CASE WHEN s.identity IS NULL THEN 'lost' WHEN s.identity <> p.present THEN s.identity ELSE s.previous_identity END,
       CASE WHEN s.identity = p.present
            THEN coalesce(floor(extract(epoch FROM s.identity_changed_at) * 1000)::bigint, 0) ELSE 0 END,
       coalesce(s.floor, 0)
FROM (SELECT /*identity*/ AS present) p LEFT JOIN ringfence.store s ON true
