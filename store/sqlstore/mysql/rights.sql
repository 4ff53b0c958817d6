-- Changes nothing, and needs every right that the statements of the store need.
UPDATE ringfence_lease l JOIN ringfence_store s SET l.batch = l.batch, s.floor = s.floor WHERE l.name = x'' AND s.single = 0;
INSERT INTO ringfence_lease SELECT * FROM ringfence_lease WHERE FALSE;
INSERT INTO ringfence_store SELECT * FROM ringfence_store WHERE FALSE;
UPDATE ringfence_line SET lapses_at = lapses_at WHERE name = x'';
INSERT INTO ringfence_line SELECT * FROM ringfence_line WHERE FALSE;
DELETE FROM ringfence_line WHERE name = x'';
