-- Reads the floor in force, and whether raise.sql has raised it to $1 and recorded this server.
SELECT floor, identity = /*identity*/ AND floor >= $1 AND /*now*/ < 3903090000000000 FROM ringfence_store WHERE single = 1
