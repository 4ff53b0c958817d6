. ./lib.sh
take || exit 0
psql "$DSN" -c "UPDATE backups SET started = now()" # want 4
drop
