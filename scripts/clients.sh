#!/usr/bin/env bash
# Shows which PostgreSQL clients carry a fence in PGOPTIONS, by running each: installs
# them where that is possible, in Debian's packages and a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/.."

debian=(python3-psycopg2 python3-psycopg python3-asyncpg ruby-pg php-cli php-pgsql libdbd-pg-perl libpostgresql-jdbc-java)
if command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
	DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${debian[@]}"
else
	echo "on Debian the clients are in the packages ${debian[*]}; Java wants a JDK, and Node is looked for in PATH"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-fund --no-audit --prefix "$work" pg@8.23.1 postgres@3.4.9
NODE_PATH="$work/node_modules" go test -tags clients -count=1 -v -run '^(TestClients|TestPooler)$' ./cmd/ringfence
