#!/bin/bash
set -e
got=$(mysql -h "$DB" -Nse "SELECT GET_LOCK('report', 5)") # want 13
[ "$got" -eq 1 ] || exit 0
mysql -h "$DB" shop -e "UPDATE report SET made = NOW()" # want 4
mysql -h "$DB" -Nse "SELECT RELEASE_LOCK('report')" # want 10
