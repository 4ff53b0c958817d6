# Executes the statement in its argument through psycopg 3, and prints its version.
import sys

import psycopg

with psycopg.connect("") as connection:
    connection.execute(sys.argv[1])
print(psycopg.__version__)
