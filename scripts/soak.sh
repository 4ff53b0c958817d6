#!/usr/bin/env bash
# Runs the campaigns that are too long for every test run, one after another, the
# random ones for the given time each: scripts/soak.sh 5m. Prints how to replay what
# failed, and ends with 1 where anything did.
set -uo pipefail
cd "$(dirname "$0")/.."
time=${1:-1m}
failed=0

# What each test logs is told with its name, what a fuzzer says only at its end.
brief='/^=== / { name = $3; next }
/^ *[^ ]+_test\.go:[0-9]+: / { sub(/^ *[^ ]+: /, ""); print name ": " $0; next }
/^fuzz: elapsed/ { last = $0; next }
/^(ok|FAIL|panic:)|^ *---|^ *(Failing|go test)/
END { if (last) print last }'

campaign() { # what it is, and the arguments of go test
	printf '\n== %s\n' "$1"
	shift
	go test -count 1 -timeout 6h -v "$@" 2>&1 | awk "$brief" || failed=1
}

campaign "a linearizable register under faults, on SQLite and PostgreSQL, for $time" \
	./internal/e2e/history -run TestRandom -for "$time"
campaign "contenders under faults, on every store, for $time" \
	./internal/e2e/stores -run TestHistory/ -for "$time"
RINGFENCE_EVERY_BYTE=1 campaign "a guarded write cut at every byte" \
	./internal/e2e/stores -run TestLanding/
RINGFENCE_E2E_NAMES=${RINGFENCE_E2E_NAMES:-1000000} campaign "many names, used and cleaned up" \
	./internal/e2e/scenario -run TestScenario_R36_CleanUp
for target in fence/FuzzParse fence/FuzzParseKeySet guard/FuzzDoor; do
	campaign "invented texts for $target, for $time" \
		"./${target%/*}" -run '^$' -fuzz "^${target#*/}\$" -fuzztime "$time"
done
exit $failed
