-- Reads the server's identity once, to learn whether this role may.
SELECT /*identity*/
