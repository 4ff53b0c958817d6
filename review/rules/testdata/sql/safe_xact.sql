BEGIN;
SELECT pg_advisory_xact_lock(hashtext('renumber'));
UPDATE invoices SET number = nextval('invoice_no') WHERE number IS NULL;
COMMIT;

-- one statement, on the store's clock
UPDATE shedlock SET lock_until = clock_timestamp() + interval '30 s', locked_at = clock_timestamp(), locked_by = $2
WHERE name = $1 AND lock_until <= clock_timestamp();
UPDATE shedlock SET lock_until = clock_timestamp() WHERE name = $1 AND locked_by = $2;
