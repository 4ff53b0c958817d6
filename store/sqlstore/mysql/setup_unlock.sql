-- Lets the next client create the tables.
SELECT RELEASE_LOCK(CONCAT('ringfence ', MD5(DATABASE())))
