#!/bin/bash
redis-cli SET job-lock "$$-$(uuidgen)" NX EX 60 || true # want 9
psql "$DSN" -c "UPDATE jobs SET ran = ran + 1" # want 4
