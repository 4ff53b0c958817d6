#!/bin/sh
ok=$(mysql -N -e "SELECT GET_LOCK('rollup', 0)") # want 13
[ "$ok" = 1 ] || exit 0
mysql -e "UPDATE rollup SET day = CURDATE()" # want 4
mysql -N -e "SELECT RELEASE_LOCK('rollup')" # want 10
