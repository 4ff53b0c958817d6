#!/usr/bin/env bash
# Checks the code without running it: format, go vet, staticcheck, and that each
# go.mod says exactly what its module needs. The import directions are a test,
# internal/house.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/modules.sh
status=0

echo "-- gofmt"
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
	printf 'not formatted, run gofmt -w on:\n%s\n' "$unformatted"
	status=1
fi

echo "-- staticcheck is built at the version of internal/tools/go.mod"
GOWORK=off go -C internal/tools build -o "$PWD/bin/staticcheck" honnef.co/go/tools/cmd/staticcheck
staticcheck=$PWD/bin/staticcheck

check() { # one module, on its own
	echo "-- $1: go vet, staticcheck, go mod tidy"
	go vet ./... || return
	"$staticcheck" ./... || return
	go mod tidy -diff
}
each_module check || status=1
(cd internal/e2e/bench && export GOWORK=off && check "$(go list -m)") || status=1 # not in go.work
GOWORK=off go -C internal/tools mod tidy -diff || status=1
exit "$status"
