# Latchkey's house keys. A bare `make` lists them.

LISTEN ?= localhost:8080
ARGS ?=
FUZZ_SECONDS ?= 600

.PHONY: help run test test-only backends reliability lint format bench fuzz docs man clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## build, and start the development server: a passkey made and used in a browser (LISTEN=localhost:9000)
	@.ci/setup run
	@echo "Build      the first one takes a few minutes …"
	@mkdir -p .build
	@for product in latchkey-server latchkey-admin latchkey-tenant; do \
	    swift build -c release --static-swift-stdlib --product $$product >.build/run.log 2>&1 \
	        || { cat .build/run.log; exit 1; }; \
	done
	@exec "$$(swift build -c release --show-bin-path)/latchkey-server" dev --listen $(LISTEN) $(ARGS)

test: ## install what the tests need and run them all
	@.ci/setup test
	@$(MAKE) --no-print-directory test-only

test-only:
	swift build -c release --static-swift-stdlib
	@.ci/tests

reliability: ## stores that hang, restart, fail over, lose answers; servers that are killed: about twenty minutes
	@.ci/setup test
	swift build -c release --static-swift-stdlib
	@.ci/reliability

backends: ## the end-to-end tests on SQLite or PostgreSQL, with challenges in memory, Redis or the store
	@.ci/setup test
	swift build -c release --static-swift-stdlib
	@.ci/backends

lint: ## check the style, as the gate does
	swift format lint --strict --recursive --parallel Package.swift Packages Apps Tests

format: ## put the style right
	swift format --in-place --recursive --parallel Package.swift Packages Apps Tests

bench: ## measure, and print ratios to limits measured in the same run
	@.ci/bench

fuzz: ## feed the decoders what nobody would send, ten minutes each (FUZZ_SECONDS=600)
	@Tests/Fuzz/run $(FUZZ_SECONDS)

docs: ## build the documentation of every package into .build/docs
	@.ci/docs

man: ## write manual pages and completions of the commands into .build/man (needs scdoc)
	@for product in latchkey-admin latchkey-tenant; do \
	    swift build -c release --static-swift-stdlib --product $$product >/dev/null || exit 1; \
	done
	@mkdir -p .build/man
	@bin="$$(swift build -c release --show-bin-path)"; for product in latchkey-admin latchkey-tenant; do \
	    "$$bin/$$product" manual | scdoc >.build/man/$$product.1 || exit 1; \
	    for shell in bash zsh fish; do "$$bin/$$product" completion $$shell >.build/man/$$product.$$shell || exit 1; done; \
	done; \
	"$$bin/latchkey-tenant" schema --manual | scdoc >.build/man/latchkey-tenant-file.5

clean: ## remove what was built; data stays
	rm -rf .build .venv
