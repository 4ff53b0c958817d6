# Every target with a comment after ## is shown by a bare make.

# The workspace is on, whatever the caller's environment says; the scripts turn
# it off where they check a module on its own.
export GOWORK :=

.PHONY: help test servers lint builds build demo bench soak hold clients golangci cover
.DEFAULT_GOAL := help

help:
	@echo "make TARGET, where TARGET is"
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: servers lint builds ## install what the tests need, check the code, run every test of every module with the race detector
	@echo "== tests of every module, with the race detector"
	go test -race -parallel 4 work

servers: ## install the servers that the tests start (Debian, as root), or say what to install
	@echo "== servers for the tests"
	@scripts/install-test-servers.sh

lint: ## check the code without running it
	@echo "== lint"
	@scripts/lint.sh

builds: ## build each module on its own, and for macOS and Windows
	@echo "== builds"
	@scripts/builds.sh

build: ## build the command and the reviewer into bin/
	go build -o bin/ ./cmd/ringfence ./review/cmd/ringfence-review

demo: ## show a paused holder overwrite newer work, and then be refused
	go run ./cmd/ringfence demo

bench: ## measure against the raw limit of each store and against other locks, as ratios
	GOWORK=off go -C internal/e2e/bench test -run '^$$' -bench . -benchtime 1x -timeout 60m
	go test -run '^$$' -bench Review -benchtime 1x -timeout 60m ./review/runner ./review/cmd/ringfence-review

soak: ## run the long campaigns, each for TIME (1m): histories under faults on every store, cuts at every byte, many names
	@scripts/soak.sh $(TIME)

hold: ## hold 10,000 leases in one process for ten minutes on each of three stores
	GOWORK=off go -C internal/e2e/bench test -run '^$$' -bench Soak -benchtime 1x -soak 10m -timeout 60m

clients: ## show which clients of PostgreSQL carry a fence in PGOPTIONS (installs them where it can)
	@scripts/clients.sh

golangci: ## build golangci-lint with the reviewer as its plugin, and compare what both report (downloads it; minutes)
	@scripts/golangci.sh $(MODULE)

cover: ## run the tests and show which share of each function they reach
	@mkdir -p bin
	go test -coverpkg=github.com/ringfence-go/ringfence/... -coverprofile=bin/cover.out work
	go tool cover -func=bin/cover.out
