#!/bin/sh
exec consul lock -timeout=30s locks/report ./report.sh
