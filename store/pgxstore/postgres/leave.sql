-- Takes those at the places $3 in the lines of the names $2 away; the listener is the channel $1.
DELETE FROM ringfence.waiter w
USING unnest($2::text[], $3::bigint[]) AS gone(name, place)
WHERE w.name = gone.name AND w.place = gone.place AND w.listener = $1
