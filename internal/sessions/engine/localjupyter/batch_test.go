package localjupyter_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"
)

// batch starts a session in which programs run notebooks.
func (b *bench) batch(repository engine.Repository, how engine.Batch) engine.Spec {
	b.Helper()
	spec := b.spec(repository)
	spec.Owner, spec.Batch = "", &how
	b.start(spec)
	b.await(spec.ID, engine.Running)
	return spec
}

// around is what a cell sees around it.
type around struct {
	Environment map[string]string
	Interfaces  []string // of its network
	Nice        int
}

func (b *bench) looksAround(id string) (seen around) {
	b.Helper()
	printed := b.cell(id, `
import json, os, socket
print(json.dumps({"environment": dict(os.environ), "interfaces": [name for _, name in socket.if_nameindex()], "nice": os.nice(0)}))`)
	if err := json.Unmarshal([]byte(printed), &seen); err != nil {
		b.Fatalf("The cell printed %q: %v", printed, err)
	}
	return seen
}

// commit returns the id and the time of the commit that a repository has at a ref.
func (b *bench) commit(name, ref string) (id, seconds string) {
	b.Helper()
	output, err := exec.Command("/usr/bin/git", "-c", "safe.directory=*", "-C", filepath.Join(b.folder, name), "log", "-1", "--format=%H %ct", ref).Output()
	if err != nil {
		b.Fatal(err)
	}
	id, seconds, _ = strings.Cut(strings.TrimSpace(string(output)), " ")
	return id, seconds
}

// runsBatch looks from a cell of a batch session for everything that differs from a session of a person.
func (b *bench) runsBatch() {
	b.Helper()
	spec := b.batch(b.url("working.git"), engine.Batch{})
	status := b.await(spec.ID, engine.Running)
	commit, seconds := b.commit("working.git", "main")
	if !status.Batch || status.Commit != commit {
		b.Errorf("Batch: %v, commit %q, want %q", status.Batch, status.Commit, commit)
	}
	heads, errs := b.heads("working.git", "main")
	if !slices.Equal(heads, []string{commit, commit}) {
		b.Errorf("The heads are %v %v", heads, errs)
	}
	seen := b.looksAround(spec.ID)
	for name, want := range map[string]string{
		"PYTHONHASHSEED": "0", "MPLBACKEND": "module://matplotlib_inline.backend_inline", "TZ": "UTC", "COLUMNS": "80",
		"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "SOURCE_DATE_EPOCH": seconds,
	} {
		if seen.Environment[name] != want {
			b.Errorf("%s is %q, want %q", name, seen.Environment[name], want)
		}
	}
	isolation := b.engine.Isolation()
	b.Logf("Level %s, network %s, limits: %s; a batch session sees %v", isolation.Level, isolation.Network.Network, isolation.Limits, seen.Interfaces)
	if isolation.Level.Mounts() && !slices.Equal(seen.Interfaces, []string{"lo"}) {
		b.Errorf("It sees the networks %v", seen.Interfaces)
	}
	if groups := b.engine.Groups(spec.ID); len(groups) == 0 && seen.Nice != 19 {
		b.Errorf("It is as nice as %d", seen.Nice)
	}
	b.leavesHomeClean(spec)
	if err := b.engine.Remove(b.Context(), spec.ID); err != nil {
		b.Error(err)
	}
	connected := b.looksAround(b.batch(b.url("working.git"), engine.Batch{Network: true}).ID)
	if isolation.Network.Network == sandbox.Internet && !slices.Contains(connected.Interfaces, "tap0") {
		b.Errorf("With a network it sees the networks %v", connected.Interfaces)
	}
}

// leavesHomeClean starts a session again and looks for what the launch before left at home and in the work.
func (b *bench) leavesHomeClean(spec engine.Spec) {
	b.Helper()
	b.wants("writing", b.cell(spec.ID, `
import os
os.makedirs(os.path.expanduser("~/.cache/deep"))
for name in "~/.cache/deep/x", "~/.bashrc", "mine.txt":
    open(os.path.expanduser(name), "w").write("left")
print("written")`), "written")
	b.stop(spec.ID)
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.wants("what is left", b.cell(spec.ID, `
import os
print(os.path.exists(os.path.expanduser("~/.cache/deep")), os.path.exists(os.path.expanduser("~/.bashrc")), open("mine.txt").read())`), "False False left")
}

// weighs checks the weight of a session in the control groups that this machine has. See TestTheWeightOfASessionOverItsLife for others.
func (b *bench) weighs(id string, weight int) {
	b.Helper()
	want := map[string]string{"cpu.weight": strconv.Itoa(weight), "cpu.shares": strconv.Itoa(weight * 1024 / 100)}
	seen := 0
	for _, folder := range b.engine.Groups(id) {
		for name, weight := range want {
			if text, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
				seen++
				if strings.TrimSpace(string(text)) != weight {
					b.Errorf("%s is %s, want %s", name, text, weight)
				}
			}
		}
	}
	if grouped := strings.Contains(b.engine.Isolation().Limits, "of each session"); grouped != (seen == 1) {
		b.Errorf("%d weights are seen, with control groups: %v", seen, grouped)
	}
}

// TestBatch runs a batch session with the real Jupyter, as TestJupyter does one of a person.
func TestBatch(t *testing.T) {
	t.Parallel()
	b := newBench(t, withRealJupyter, withInternet, func(options *localjupyter.Options) { options.Terminals = true })
	b.repository("notebook.git", func(folder string) {
		writeFile(t, folder+"/start.ipynb", `{"cells": [], "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}}, "nbformat": 4, "nbformat_minor": 5}`)
	})
	b.open()
	b.runsBatch()
	spec := b.batch(b.url("notebook.git"), engine.Batch{})
	if _, kernels := b.ask(spec.ID, http.MethodGet, "api/kernels", true); strings.TrimSpace(kernels) != "[]" {
		t.Errorf("It starts with the kernels %s", kernels)
	}
	if response, _ := b.ask(spec.ID, http.MethodGet, "api/terminals", true); response.StatusCode != http.StatusNotFound {
		t.Errorf("Its terminals: %s", response.Status)
	}
	b.weighs(spec.ID, 1)
	b.passesAllOutput(spec.ID)

	found, err := b.engine.Environment(t.Context(), spec.ID, engine.Python.Language)
	if err != nil {
		t.Fatal(err)
	}
	b.wants("the packages", b.cell(spec.ID, `
import importlib.metadata, platform
print("python " + platform.python_version(), *("%s==%s" % (name, importlib.metadata.version(name)) for name in ("ipykernel", "tornado")))`),
		"python "+found.Version+" "+strings.Join(slices.DeleteFunc(slices.Clone(found.Packages), func(one string) bool {
			return !strings.HasPrefix(one, "ipykernel==") && !strings.HasPrefix(one, "tornado==")
		}), " "))
	b.peaks(spec.ID)
	b.open() // after kill -9 of the server
	status := b.await(spec.ID, engine.Running)
	if again, err := b.engine.Environment(t.Context(), spec.ID, engine.Python.Language); !status.Batch || status.Commit == "" || err != nil || again.Digest != found.Digest {
		t.Errorf("Found again it is %v at %q in %s, %v", status.Batch, status.Commit, again.Digest, err)
	}
	b.weighs(spec.ID, 1)
	b.stop(spec.ID)
	b.nothingLeft(spec.ID)
}

// passesAllOutput prints more than Jupyter forwards by default, in more messages.
func (b *bench) passesAllOutput(id string) {
	b.Helper()
	const lines, length = 4000, 2000
	kernel := b.kernel(id)
	defer kernel.Close()
	// As the executor does: a kernel itself drops what comes while more than 1,000 messages wait for a busy server.
	kernel.Run(`get_ipython().kernel.iopub_thread.schedule(lambda: get_ipython().kernel.iopub_thread.socket.set_hwm(100_000))`)
	if got := strings.Count(kernel.Run(`
import sys
for i in range(4000):
    sys.stdout.write("x" * 2000 + "\n")
    if i % 2: sys.stdout.flush()`), strings.Repeat("x", length)); got != lines {
		b.Errorf("%d lines of %d arrived", got, lines)
	}
}

// peaks takes memory and gives it back.
func (b *bench) peaks(id string) {
	b.Helper()
	kernel := b.kernel(id)
	defer kernel.Close()
	const taken = 600 << 20
	b.wants("memory", kernel.Run(`taken = bytearray(600 << 20); taken[::4096] = b"x" * len(taken[::4096]); del taken; print("given back")`), "given back")
	used, err := b.engine.Usage(b.Context(), id)
	grouped := strings.Contains(b.engine.Isolation().Limits, "of each session")
	if err != nil || grouped && (used.PeakMemoryBytes < taken || used.MemoryBytes >= taken) || !grouped && used.PeakMemoryBytes != 0 {
		b.Errorf("It uses %+v, %v, with control groups: %v", used, err, grouped)
	}
}

// The server of nbclassic reads other options than Notebook's own.
func TestThoroughNbclassicPassesAllOutput(t *testing.T) {
	t.Parallel()
	b := newBench(t, withNbclassic)
	b.open()
	b.passesAllOutput(b.batch(b.url("working.git"), engine.Batch{}).ID)
}

// What defines an environment is in its digest: the same repository has the same one in two sessions, and a package makes
// another.
func TestEnvironmentsAreToldApart(t *testing.T) {
	t.Parallel()
	folder := wheels(t)
	b := newBench(t, func(options *localjupyter.Options) { options.Pip.FindLinks = folder })
	b.repository("packages.git", func(folder string) { writeFile(t, folder+"/requirements.txt", "cairndemo==1.0\n") })
	b.open()
	plain := b.environment(b.batch(b.url("working.git"), engine.Batch{}).ID)
	spec := b.batch(b.url("packages.git"), engine.Batch{})
	first, second := b.environment(spec.ID), b.environment(b.running(b.url("packages.git")).ID)
	if first.Digest != second.Digest || first.Digest == plain.Digest {
		t.Errorf("The digests are %s, %s and %s", first.Digest, second.Digest, plain.Digest)
	}
	if !slices.Contains(first.Packages, "cairndemo==1.0") || slices.Contains(plain.Packages, "cairndemo==1.0") || len(first.Packages) != len(plain.Packages)+1 {
		t.Errorf("The packages are %v, without the repository's %v", first.Packages, plain.Packages)
	}
	b.wants("a package of the session's own", b.cell(spec.ID, `
import os, site
folder = site.getusersitepackages() + "/later-1.0.dist-info"
os.makedirs(folder)
open(folder + "/METADATA", "w").write("Metadata-Version: 2.1\nName: later\nVersion: 1.0\n")
print("installed")`), "installed")
	if later := b.environment(spec.ID); later.Digest != first.Digest {
		t.Errorf("What a cell installed changed the environment to %v", later.Packages)
	}
}

func (b *bench) environment(id string) engine.Installed {
	b.Helper()
	found, err := b.engine.Environment(b.Context(), id, engine.Python.Language)
	if err != nil {
		b.Fatal(err)
	}
	return found
}

// hostileStart is code that every start of Python runs: when packages are listed, it passes off what it reaches as the only
// package, and prints an answer of its own.
const hostileStart = `import importlib.metadata, os, socket, sys; sys.flags.isolated and (print('{"python": "9"}'), ` +
	`setattr(importlib.metadata, "distributions", lambda os=os, socket=socket: [type("Found", (), {"version": os.getuid(), "metadata": ` +
	`{"Name": "-".join([name for _, name in socket.if_nameindex()] + os.listdir("/session"))}})]))` + "\n"

// Code in packages reaches nothing when they are listed, and what it prints is no answer.
func TestListingPackagesIsNoWayOut(t *testing.T) {
	t.Parallel()
	folder := wheels(t)
	wheelWith(t, folder, "cairnpth", "", map[string]string{"cairnpth.pth": hostileStart})
	b := newBench(t, withInternet, func(options *localjupyter.Options) { options.Pip.FindLinks = folder })
	b.repository("hostile.git", func(folder string) { writeFile(t, folder+"/requirements.txt", "cairnpth\n") })
	b.open()
	spec := b.batch(b.url("hostile.git"), engine.Batch{Network: true})
	found := b.environment(spec.ID)
	_, account := b.engine.Process(spec.ID)
	if !strings.HasPrefix(found.Version, "3.") || len(found.Packages) != 1 || !strings.HasPrefix(found.Packages[0], "lo-environments==") ||
		strings.HasSuffix(found.Packages[0], "==0") || strings.HasSuffix(found.Packages[0], "=="+itoa(account)) {
		t.Errorf("The environment is %+v", found)
	}
}

// A launch of a batch session that a crash interrupted goes on as one.
func TestABatchLaunchGoesOnAfterACrash(t *testing.T) {
	t.Parallel()
	b := newBench(t, withInternet)
	b.open()
	spec := b.spec(b.url("slow.git"))
	spec.Owner, spec.Batch = "", &engine.Batch{}
	b.start(spec)
	b.open()
	if status, err := b.engine.Status(t.Context(), spec.ID); err != nil || !status.Batch || status.Phase != engine.Starting {
		t.Errorf("It is %+v %v", status, err)
	}
	b.repositories.Release()
	b.await(spec.ID, engine.Running)
	seen := b.looksAround(spec.ID)
	if seen.Environment["PYTHONHASHSEED"] != "0" || !slices.Equal(seen.Interfaces, []string{"lo"}) {
		t.Errorf("It sees %v in %v", seen.Interfaces, slices.Sorted(maps.Keys(seen.Environment)))
	}
	b.weighs(spec.ID, 1)
}
