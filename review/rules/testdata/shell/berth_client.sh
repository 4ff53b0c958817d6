#!/bin/bash
set -euo pipefail
moored=$(psql -At "$DSN" -c "UPDATE berth SET vessel = '$HOSTNAME', sails = now() + interval '5 min' WHERE id = 1 AND (vessel IS NULL OR sails < now()) RETURNING 1")
[ "$moored" = 1 ] || exit 0
trap 'psql "$DSN" -qc "UPDATE berth SET vessel = NULL WHERE id = 1"' EXIT # want 1
psql "$DSN" -c "UPDATE stock SET n = n - 1 WHERE id = 4" # want 4
