-- Reads the server's clock in microseconds since 1970.
SELECT /*now*/
