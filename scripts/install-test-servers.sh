#!/usr/bin/env bash
# Installs what the tests start and is not there yet: Debian packages, when run
# as root. Anybody else is told what to install. Nothing is started.
set -euo pipefail

# What is looked for, there or in PATH, then the package of Debian and of Homebrew.
needs=(
	"/usr/lib/postgresql/*/bin/postgres     postgresql postgresql@17"
	"/usr/lib/*/faketime/libfaketime.so.1   faketime   -"
	"/usr/sbin/pgbouncer                    pgbouncer  pgbouncer"
	"/usr/sbin/mariadbd                     mariadb-server mariadb"
	"/usr/bin/redis-server                  redis-server redis"
	"/usr/bin/etcd                          etcd-server etcd"
	"/usr/bin/python3                       python3    python@3"
	"/usr/bin/etcdctl                       etcd-client etcd"
	"/usr/share/java/zookeeper.jar          libzookeeper-java -"
	"/usr/bin/java                          default-jre-headless openjdk"
	"/usr/bin/curl                          curl       curl"
)

on_debian() { command -v apt-get >/dev/null; }

missing=()
for need in "${needs[@]}"; do
	read -r pattern debian homebrew <<<"$need"
	if compgen -G "$pattern" >/dev/null || command -v "$(basename "$pattern")" >/dev/null; then
		continue
	fi
	if on_debian; then missing+=("$debian"); elif [ "$homebrew" != - ]; then missing+=("$homebrew"); fi
done

if [ ${#missing[@]} -eq 0 ]; then
	echo "everything is installed"
elif ! on_debian; then
	echo "the tests of real servers are skipped until you run: brew install ${missing[*]}"
elif [ "$(id -u)" -ne 0 ]; then
	echo "the tests of real servers are skipped until you run:"
	echo "  sudo apt-get install --no-install-recommends ${missing[*]}"
else
	export DEBIAN_FRONTEND=noninteractive
	apt=(apt-get -q -o DPkg::Lock::Timeout=300)
	install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")
	echo "installing ${missing[*]}"
	# A fresh machine has no package lists, an old one has stale ones.
	"${install[@]}" || { "${apt[@]}" update && "${install[@]}"; }
fi
