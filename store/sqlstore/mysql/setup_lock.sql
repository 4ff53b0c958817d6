-- Lets one client at a time create the tables of this database, until it lets go or its session ends. Waits up to 30 seconds.
SELECT COALESCE(GET_LOCK(CONCAT('ringfence ', MD5(DATABASE())), 30), 0)
