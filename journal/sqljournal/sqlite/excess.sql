-- Reads the place before which rows are to go, and how many events they have: all that are older than ?1 milliseconds, or
-- have ?2 events or more behind them, and have no row to stay before them.
SELECT g.gone, (SELECT coalesce(sum(events), 0) FROM ringfence_journal WHERE seq < g.gone)
FROM (
    SELECT coalesce(min(seq) FILTER (WHERE at >= CAST(round(unixepoch('subsec') * 1000) AS INTEGER) - ?1 AND newer < ?2),
                    max(seq) + 1, 0) AS gone
    FROM (SELECT seq, at, sum(events) OVER (ORDER BY seq DESC) - events AS newer FROM ringfence_journal)
) g
