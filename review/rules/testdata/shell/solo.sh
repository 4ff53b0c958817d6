#!/bin/sh
# Only one of the hosts copies the archive.
alone() {
  key=$1; shift
  got=$(redis-cli SET "$key" "$(hostname)" NX EX 600)
  [ "$got" = OK ] || return 75
  "$@"
  redis-cli DEL "$key" >/dev/null # want 1
}

send_report() {
  curl -fsS -X POST -d @report.json https://reports.example/in # want 8
}

alone nightly:report send_report
