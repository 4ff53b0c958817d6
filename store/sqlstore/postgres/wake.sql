-- Tells the first live waiter for the name t.name that it may be free: part of the statements that end the term or the place
-- of t.attempt. It is the first in line, or where that one does not listen who has listened longest.
--
-- NOTIFY takes a lock of the whole database at its commit, so it is used only where somebody waits. Nothing is locked or
-- written here: a waiter takes its own row away. One that came after this statement began to look has waited for its end.
(SELECT pg_catalog.pg_notify(w.listener, w.place || ' ' || w.name)
 FROM ((SELECT w.listener, w.place, w.name
        FROM ringfence.waiter w JOIN ringfence.listener r ON r.channel = w.listener AND r.expires_at > clock_timestamp()
        WHERE w.name = t.name AND w.attempt = (SELECT l.attempt
                                               FROM ringfence.line l
                                               WHERE l.name = t.name AND l.lapses_at > clock_timestamp() AND l.attempt <> t.attempt
                                               ORDER BY l.place
                                               LIMIT 1)
        LIMIT 1)
       UNION ALL
       (SELECT w.listener, w.place, w.name
        FROM ringfence.waiter w JOIN ringfence.listener r ON r.channel = w.listener AND r.expires_at > clock_timestamp()
        WHERE w.name = t.name AND w.attempt <> t.attempt
        ORDER BY w.place
        LIMIT 1)
       LIMIT 1) w)
