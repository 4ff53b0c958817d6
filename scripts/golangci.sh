#!/usr/bin/env bash
# Builds golangci-lint with the reviewer as its module plugin, runs it on a module, and
# fails unless it reports what ringfence-review does, at the same lines and columns.
# Downloads golangci-lint and its linters, and compiles for minutes: no part of make test.
#
#   scripts/golangci.sh [MODULE]     the default is the module of review/govet's tests
set -euo pipefail
cd "$(dirname "$0")/.."
version=v2.15.0
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOWORK=off GOFLAGS=-buildvcs=false

module=${1:-}
if [ -z "$module" ]; then
	module=$work/module
	cp -r review/govet/testdata/packages "$module"
	cp -r review/govet/testdata/redis "$module/redis"
	printf 'module github.com/redis/go-redis/v9\n\ngo 1.26\n' >"$module/redis/go.mod"
	printf 'module example.test/packages\n\ngo 1.26\n\nrequire github.com/redis/go-redis/v9 v9.0.0\n\nreplace github.com/redis/go-redis/v9 => ./redis\n' >"$module/go.mod"
fi
module=$(cd "$module" && pwd)

echo "== golangci-lint $version with the plugin, and ringfence-review"
mkdir "$work/lint"
cat >"$work/lint/main.go" <<'END'
package main

import (
	"fmt"
	"os"

	"github.com/golangci/golangci-lint/v2/pkg/commands"

	_ "github.com/ringfence-go/ringfence/review/golangci"
)

func main() {
	if err := commands.Execute(commands.BuildInfo{GoVersion: "unknown", Version: "custom", Commit: "none", Date: "none"}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}
END
cat >"$work/lint/go.mod" <<END
module lint

go 1.26.0

require (
	github.com/golangci/golangci-lint/v2 $version
	github.com/ringfence-go/ringfence/review v0.0.0-00010101000000-000000000000
)

replace github.com/ringfence-go/ringfence => $root

replace github.com/ringfence-go/ringfence/review => $root/review
END
go -C "$work/lint" mod tidy -e 2>/dev/null
go -C "$work/lint" build -o "$work/golangci-lint" .
go -C review build -o "$work/ringfence-review" ./cmd/ringfence-review

cat >"$work/golangci.yml" <<'END'
version: "2"
linters:
  default: none
  enable: [ringfence]
  settings:
    custom:
      ringfence:
        type: module
issues:
  max-issues-per-linter: 0
  max-same-issues: 0
  uniq-by-line: false
END

echo "== both on $module"
place='s/^\([^ ]*:[0-9]*:[0-9]*\): .*\[\([a-z-]*\)\].*/\1 \2/p' # path:line:column rule
cd "$module"
"$work/golangci-lint" run --issues-exit-code 0 --config "$work/golangci.yml" --path-mode abs --output.text.path stdout --output.text.print-issued-lines=false --output.text.colors=false --show-stats=false ./... |
	sed -n "s,^$module/,,; $place" | sort >"$work/lint.txt"
("$work/ringfence-review" . || [ $? -eq 1 ]) | sed -n "$place" | sort >"$work/review.txt"
diff -u "$work/review.txt" "$work/lint.txt"
echo "$(wc -l <"$work/lint.txt") findings, the same by both"
