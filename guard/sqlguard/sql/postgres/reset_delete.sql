-- End the locked mark of a resource, so that none is there until a term begins.
DELETE FROM ringfence.mark WHERE resource = $1
