# Executes the statement in its argument through psycopg2, and prints its version.
import sys

import psycopg2

with psycopg2.connect("") as connection:
    connection.cursor().execute(sys.argv[1])
print(psycopg2.__version__.split()[0])
