-- Appends events. Each row is made of the server's clock, by how many microseconds ago its event was.
INSERT INTO ringfence_event (at, until, kind, name, token, holder, cause, resource, by_whom, detail, lost, id)
VALUES $1
