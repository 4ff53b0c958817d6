-- Reads which server answers, which one was there before, when the change was noticed, and the floor.
SELECT p.present,
       CASE WHEN s.identity IS NULL THEN 'lost' WHEN s.identity <> p.present THEN s.identity ELSE s.previous_identity END,
       CASE WHEN s.identity = p.present THEN s.identity_changed_at DIV 1000 ELSE 0 END,
       COALESCE(s.floor, 0)
FROM (SELECT /*identity*/ AS present) p LEFT JOIN ringfence_store s ON s.single = 1
