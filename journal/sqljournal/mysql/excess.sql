-- Reads the place before which rows are to go, and how many events they have: all that are older than $1 milliseconds, or
-- have $2 events or more behind them, and have no row to stay before them.
--
-- It is no part of the DELETE, which would lock every row that it looks at, and the place where others add theirs.
SELECT g.gone, (SELECT COALESCE(SUM(events), 0) FROM ringfence_journal WHERE seq < g.gone)
FROM (
    SELECT COALESCE(MIN(CASE WHEN j.at >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - $1 * 1000
                              AND j.newer < $2 THEN j.seq END), MAX(j.seq) + 1, 0) AS gone
    FROM (SELECT seq, at, SUM(events) OVER (ORDER BY seq DESC) - events AS newer FROM ringfence_journal) j
) g
