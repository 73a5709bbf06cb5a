# Every habit has one door; `make` alone lists them. Real files stand for what is done already, so a second run is quick.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SILENT:
MAKEFLAGS += --no-print-directory

# One setting for every Go command keeps one build cache, and the binary static. Versions come from git below, because
# Go's own stamping stops the build in a clone that belongs to another user.
export CGO_ENABLED := 0
export GOFLAGS := -buildvcs=false -trimpath

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
DEMO := var/demo
ARGS ?=
FUZZTIME ?= 2m
BENCH ?= catalog
PART ?=

WEB_PACKAGES := web/node_modules/.installed
E2E_PACKAGES := e2e/node_modules/.installed
LINTER := bin/tools/golangci-lint
VET := bin/tools/vet
HELM := bin/tools/helm
KUBERNETES := $(addprefix bin/tools/,etcd kube-apiserver kube-scheduler)
# Folders are in the list too: their time changes when a file is removed.
E2E_GITHUB := bin/e2e-github
E2E_ARCHIVES := bin/e2e-archives
LICENSES := internal/foundation/licenses/licenses.json
FILTERS := deploy/jupyterhub/cairn_calls.json
WEB_SOURCES := $(shell find web -mindepth 1 \( -path web/node_modules -o -path web/dist \) -prune \
	-o ! -name '*.test.ts*' ! -name '*.go' -print)

.PHONY: help run dev build release generate check lint drift ready modules test test-all e2e screens race fuzz bench soak fmt clean setup-run setup-test

help: ## List the doors
	awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ready ## Serve the demo on http://127.0.0.1:8080 (more flags: make run ARGS="--listen 127.0.0.1:9090")
	exec bin/cairn serve --demo --data $(DEMO) $(ARGS)

dev: ready ## Serve the demo with the page from Vite, which reloads as you edit
	exec scripts/dev.sh $(DEMO)

# Debian's packages, npm's, and Go's modules come from different places: waiting for one leaves time for the others.
ready:
	$(MAKE) -j3 setup-run build

build: web/dist/index.html modules ## Make the static binary bin/cairn with the page inside
	[ -e bin/cairn ] || echo "Compiling bin/cairn (the first time takes a few minutes)"
	GOGC=400 go build -ldflags '-s -w -X main.version=$(VERSION)' -o bin/cairn ./cmd/cairn

release: build ## Write archives for linux amd64 and arm64, bills of materials, the chart and checksums into bin/release
	scripts/release.sh $(VERSION)

generate: build $(WEB_PACKAGES) ## Write api/openapi.json from the code, the page's types from it, the licenses of all that is in the binary, and the hub's filter
	mkdir -p api
	bin/cairn openapi > api/openapi.json.new && mv api/openapi.json.new api/openapi.json
	npm run --silent generate --prefix web
	go run ./internal/foundation/licenses/gather > $(LICENSES).new && mv $(LICENSES).new $(LICENSES)
	go run ./internal/sessions/machine/sandbox/filters > $(FILTERS).new && mv $(FILTERS).new $(FILTERS)

# -short leaves out what starts Jupyter or JupyterHub, and without a PostgreSQL server the tests use SQLite alone.
check: lint drift ## Linters, types, generated files, quick tests (under two minutes)
	go test -short -skip=^TestThorough -vet=off -ldflags=-s ./...
	npm run --silent test --prefix web

lint: build $(LINTER) $(VET) $(WEB_PACKAGES) $(E2E_PACKAGES)
	$(LINTER) run --allow-parallel-runners ./...
	go vet -vettool=$(VET) ./...
	cd tools && go test -count=1 ./... # Go remembers results as if files outside of the module never changed
	npm run --silent check --prefix web
	npm run --silent check --prefix e2e

drift: build $(WEB_PACKAGES)
	scripts/check-generated.sh

test: setup-test lint drift $(E2E_GITHUB) $(E2E_ARCHIVES) ## The checks and the tests, on both databases, with real engines and a real browser (about ten minutes)
	exec scripts/with-postgres.sh node scripts/test.mjs

test-all: setup-test lint drift $(E2E_GITHUB) $(E2E_ARCHIVES) ## Every test there is, in hours (one part of it: make test-all PART=browser; an unknown PART lists them)
	exec scripts/with-postgres.sh node scripts/test.mjs --all $(PART)

e2e: setup-test build $(E2E_PACKAGES) $(E2E_GITHUB) $(E2E_ARCHIVES) ## The browser tests alone (one of them: make e2e ARGS=journey)
	cd e2e && exec node_modules/.bin/playwright test $(ARGS)

screens: setup-test build $(E2E_PACKAGES) $(E2E_GITHUB) $(E2E_ARCHIVES) ## Take pictures of every page in every state, in e2e/results/screens (a few minutes)
	cd e2e && exec npm run --silent screens

race: setup-test web/dist/index.html ## The Go tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 exec scripts/with-postgres.sh go test -race -short -skip=^TestThorough ./...

fuzz: setup-test ## Look for bad input that breaks something, 2 minutes for each target (longer: make fuzz FUZZTIME=1h)
	FUZZTIME=$(FUZZTIME) exec node scripts/fuzz.mjs

bench: setup-test build ## Measure the catalog with a million entries, in about half an hour (less: make bench ARGS="--entries 100000"; others: BENCH=backup, BENCH=hub, BENCH=jobs, BENCH=launch, BENCH=polling, BENCH=proxy, BENCH=relevance, BENCH=sharing, BENCH=upload, BENCH=versions, BENCH=ways, BENCH=workshop)
	$(if $(filter versions ways,$(BENCH)),scripts/setup.sh $(BENCH))
	$(if $(filter ways,$(BENCH)),scripts/code-server.sh bin/code-server)
	go build -o bin/bench ./bench
	exec bin/bench $(BENCH) $(ARGS)

soak: setup-test build ## Ask beside hostile sessions for 3 minutes, then beside servers that are killed and disturbed for 10 (as root, for all of it; longer: make soak ARGS="--time 1h"; one of them: BENCH=soak or BENCH=chaos)
	go build -o bin/bench ./bench
	for one in $(if $(filter soak chaos,$(BENCH)),$(BENCH),soak chaos); do bin/bench $$one $(ARGS) || exit; done

fmt: $(LINTER) $(WEB_PACKAGES) ## Format the code
	$(LINTER) fmt ./...
	npm run --silent fix --prefix web

clean: ## Remove what was built and installed here; the demo's data in var/ stays
	rm -rf bin web/node_modules e2e/node_modules e2e/results
	find web/dist -mindepth 1 ! -name .keep -delete

setup-run:
	scripts/setup.sh run

setup-test:
	scripts/setup.sh test

modules:
	[ -e bin/cairn ] || go mod download 2>/dev/null || true

%/node_modules/.installed: %/package-lock.json
	scripts/npm-packages.sh $*

web/dist/index.html: $(WEB_PACKAGES) $(WEB_SOURCES)
	echo "Building the page"
	npm run --silent build --prefix web -- --logLevel warn

# A stand-in for GitHub, which the Go tests use as a package.
$(E2E_GITHUB): $(wildcard e2e/github/*.go internal/entries/codehost/githubtest/*.go)
	echo "Building the stand-in for GitHub of the tests"
	go build -o $@ ./e2e/github

# Stand-ins for research archives, likewise.
$(E2E_ARCHIVES): $(wildcard e2e/archives/*.go internal/entries/archives/*.go internal/entries/archives/archivestest/*.go)
	echo "Building the stand-ins for archives of the tests"
	go build -o $@ ./e2e/archives

# The linter is pinned in a module of its own, so that its dependencies never mix with the product's.
$(LINTER): tools/go.mod tools/go.sum
	echo "Building the linter"
	cd tools && { go mod download 2>/dev/null || true; } && go build -ldflags '-s -w' -o ../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# Helm is in another module, for the same reason. Only the part `chart` of make test-all needs it, which makes it.
$(HELM): tools/helm/go.mod tools/helm/go.sum
	echo "Building Helm"
	cd tools/helm && { go mod download 2>/dev/null || true; } && go build -ldflags '-s -w' -o ../../$@ helm.sh/helm/v3/cmd/helm

# Kubernetes too. Only the part `cluster` of make test-all needs it; the first build takes about ten minutes.
bin/tools/etcd: package := go.etcd.io/etcd/server/v3
bin/tools/kube-apiserver: package := k8s.io/kubernetes/cmd/kube-apiserver
bin/tools/kube-scheduler: package := k8s.io/kubernetes/cmd/kube-scheduler
$(KUBERNETES): tools/kubernetes/go.mod tools/kubernetes/go.sum
	echo "Building $(@F)"
	cd tools/kubernetes && { go mod download 2>/dev/null || true; } && go build -ldflags '-s -w' -o ../../$@ $(package)

# Gitea is built from a copy of its module. Only the part `hosts` of make test-all needs it; the first build takes about ten minutes.
bin/tools/gitea: scripts/gitea.sh
	echo "Building Gitea"
	scripts/gitea.sh $@

# Checks of our own.
$(VET): $(wildcard tools/*/*.go) tools/go.mod tools/go.sum
	echo "Building the checks of our own"
	cd tools && go build -ldflags '-s -w' -o ../$@ ./vet
