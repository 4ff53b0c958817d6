-- Say whether the tables that hold marks are there, with no right but to connect.
SELECT to_regclass('ringfence.mark') IS NOT NULL AND to_regclass('ringfence.mark_term') IS NOT NULL
	AND to_regclass('ringfence.mark_reset') IS NOT NULL
