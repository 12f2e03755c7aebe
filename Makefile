# Short ways to the stages of .ci/run, which stays the one place that knows them.

.DEFAULT_GOAL := help
.PHONY: help build test user lint fuzz bench ci clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build ./pyrun
	CGO_ENABLED=0 go build -trimpath -tags urfave_cli_no_docs -o pyrun ./cmd/pyrun

test: ## the README's test command
	go test ./...

user: ## the tests of the sandbox as an ordinary user (run as root)
	.ci/run user

lint: ## format, vet on three systems, linters, go.mod
	.ci/run format vet static lint modules

fuzz: ## every fuzz target for a few seconds
	.ci/run fuzz

bench: ## cold start, each layer's share, against bare python
	go test -run '^$$' -bench . ./internal/exec ./internal/exec/sandbox

ci: ## everything a change has to pass
	.ci/run

clean: ## remove what build and bench left
	rm -f pyrun *.test *.prof *.out
