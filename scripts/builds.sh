#!/usr/bin/env bash
# Builds everything in the ways in which others do: each module without the
# workspace, the libraries for macOS and Windows, the command for macOS. go vet
# compiles the tests too.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/modules.sh

build() {
	echo "-- $1: go build, without the workspace"
	go build -o /dev/null ./...
}
each_module build

for os in darwin windows; do
	echo "-- the libraries and their tests, for $os"
	GOWORK=off GOOS=$os CGO_ENABLED=0 go vet ./...
done
echo "-- the command and its tests, for darwin"
GOWORK=off GOOS=darwin CGO_ENABLED=0 go -C cmd/ringfence vet ./...
