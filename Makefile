# Every target is a script, so that each also runs on its own.
.PHONY: help run demo build test launch-matrix lint bench soak clean
.DEFAULT_GOAL := help

help: ## These lines
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-13s %s\n", $$1, $$2}' Makefile

run: ## Install what is missing, build, and start the portal with three simulated hosts (Ctrl-C stops all of it)
	@scripts/setup run && scripts/build && exec scripts/run

demo: ## The same, filled with people and two weeks of bookings to look at (scripts/demo --remove removes them)
	@scripts/setup run && scripts/build && exec scripts/demo

build: ## Build target/release/berth-server and target/release/berth
	@scripts/setup run && scripts/build

test: ## Install what is missing and run everything that must hold
	@scripts/setup test && scripts/test

launch-matrix: ## Run every launch command in its real tool and print what selects which cards (ONLY="docker ssh" for some)
	@scripts/setup test && scripts/launch-matrix $(ONLY)

lint: ## Formatting, clippy for host and browser, structure
	@scripts/setup run && scripts/lint

bench: ## Measure, print a table and write target/bench.json (ONLY=prefix for some of it)
	@scripts/setup test && scripts/build && scripts/bench

soak: ## A million OPERATIONS against the model of bookings, then a busy day for MINUTES (60): nothing acknowledged is lost or doubled
	@scripts/setup test && scripts/build && scripts/soak

clean: ## Remove everything that was built
	@rm -rf target end2end/node_modules end2end/test-results
