-- Create what judges the rows of owned tables: a term has to be the present one in the lease table of this database.
DROP VIEW IF EXISTS ringfence_own;
CREATE VIEW ringfence_own (lease) AS SELECT '' WHERE 0;
CREATE TRIGGER ringfence_own_write INSTEAD OF INSERT ON ringfence_own
BEGIN
	SELECT CASE
		WHEN s.id IS NULL THEN RAISE(ABORT, 'ringfence refused the write: invalid: this transaction carries no fence. INSERT INTO ringfence_session (fence) what RINGFENCE_FENCE says')
		WHEN s.lease IS NOT NEW.lease THEN RAISE(ABORT, 'ringfence refused the write: invalid: the fence is for another lease. Run the work under the lease that protects what it writes')
		WHEN l.token IS NULL OR l.token < s.token THEN RAISE(ABORT, 'ringfence refused the write: not_established: the lease table does not know this token. Acquire again')
		WHEN l.token > s.token THEN RAISE(ABORT, 'ringfence refused the write: superseded: the token is below the last one granted. Stop: a newer holder has the lease')
		WHEN l.state <> 'held' THEN RAISE(ABORT, 'ringfence refused the write: lapsed: the term was released or broken. Acquire again')
	END
	FROM (SELECT 1) LEFT JOIN ringfence_session AS s ON true LEFT JOIN ringfence_lease AS l ON l.name = NEW.lease;
END;
