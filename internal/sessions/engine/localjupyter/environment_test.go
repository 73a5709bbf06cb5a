package localjupyter_test

import (
	"archive/zip"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
)

// wheels makes a folder of wheels: cairndemo, cairnextra and cairnown.
func wheels(t testing.TB) string {
	t.Helper()
	folder := filepath.Join(openFolder(t), "wheels")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cairndemo", "cairnextra", "cairnown"} {
		wheel(t, folder, name, "")
	}
	return folder
}

// wheel adds version 1.0 of a package to a folder, with further lines of its metadata.
func wheel(t testing.TB, folder, name, metadata string) {
	t.Helper()
	wheelWith(t, folder, name, metadata, nil)
}

// wheelWith is wheel with further files.
func wheelWith(t testing.TB, folder, name, metadata string, files map[string]string) {
	t.Helper()
	file, err := os.Create(filepath.Join(folder, name+"-1.0-py3-none-any.whl"))
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	info := name + "-1.0.dist-info/"
	all := map[string]string{
		name + ".py":      "def answer(): return '" + strings.TrimPrefix(name, "cairn") + " 1.0'\n",
		info + "METADATA": "Metadata-Version: 2.1\nName: " + name + "\nVersion: 1.0\n" + metadata,
		info + "WHEEL":    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		info + "RECORD":   "",
	}
	maps.Copy(all, files)
	for entry, text := range all {
		writer, err := archive.Create(entry)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = writer.Write([]byte(text))
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
}

func (b *bench) read(path string) string {
	b.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return string(content)
}

func stepOf(status engine.Status, name engine.StepName) engine.Step {
	for _, step := range status.Steps {
		if step.Name == name {
			return step
		}
	}
	return engine.Step{}
}

func TestThePackagesOfARepositoryBecomeItsKernel(t *testing.T) {
	t.Parallel()
	folder := wheels(t)
	b := newBench(t, func(options *localjupyter.Options) { options.Pip.FindLinks = folder })
	b.repository("packages.git", func(folder string) {
		writeFile(t, folder+"/requirements.txt", "# first\ncairndemo == 1.0  # the one\n-e .\n")
		writeFile(t, folder+"/cairn.yml", "project:\n  name: X\n  additional_dependencies:\n    pip: [cairnextra]\n    conda: [scipy=0.1]\n    modules: [cuda]\n")
	})
	b.open()
	spec := b.running(b.url("packages.git"))
	status := b.await(spec.ID, engine.Running)
	if detail := stepOf(status, engine.StepEnvironment).Detail; detail != "Packages installed, left out: 3" {
		t.Errorf("The step tells %q", detail)
	}
	note := b.read(b.work(spec.ID, "Environment.txt"))
	for i, left := range []engine.LeftOut{
		{What: "-e .", Why: "Only packages given by name are installed."},
		{What: "cuda (module)", Why: "Software modules can't be loaded on this server."},
		{What: "scipy=0.1 (conda)", Why: "It isn't among the packages that this server's operators keep."},
	} {
		if len(status.LeftOut) != 3 || status.LeftOut[i] != left || !strings.Contains(status.Log, left.What) || !strings.Contains(note, left.What+": "+left.Why) {
			t.Errorf("Nothing tells that %s is not supported: %+v\n%s\n%s", left.What, status.LeftOut, note, status.Log)
		}
	}
	if !strings.Contains(note, "  cairndemo 1.0\n  cairnextra 1.0\n") {
		t.Errorf("Beside the work it says %q", note)
	}
	if !strings.Contains(status.Log, "Successfully installed") {
		t.Errorf("The log tells nothing of the installation: %s", status.Log)
	}
	b.wants("the packages", b.cell(spec.ID, `
import cairndemo, cairnextra, numpy, subprocess, sys
print(cairndemo.answer(), cairnextra.answer(), sys.prefix, subprocess.run("which python", shell=True, capture_output=True, text=True).stdout)`),
		"demo 1.0 extra 1.0 /session/environments/")
	b.wants("changing the packages of all", b.cell(spec.ID, `import cairndemo; open(cairndemo.__file__, "a")`), "Error: [Errno")
	b.wants("listing the packages of others", b.cell(spec.ID, `import os; os.listdir("/session/environments")`), "PermissionError")
	b.installsForItself(spec.ID, folder)

	other := b.running(b.url("packages.git"))
	status = b.await(other.ID, engine.Running)
	if strings.Contains(status.Log, "Collecting") || len(status.LeftOut) != 3 || b.read(b.work(other.ID, "Environment.txt")) != note {
		t.Errorf("The packages were installed again, or what was left out is forgotten: %+v %s", status.LeftOut, status.Log)
	}
	b.wants("the packages again", b.cell(other.ID, `import cairndemo; print(cairndemo.answer())`), "demo 1.0")
}

func TestThoroughPeopleInstallPackagesWhereTheRepositoryAsksForNone(t *testing.T) {
	t.Parallel()
	folder := wheels(t)
	b := newBench(t)
	b.open()
	b.installsForItself(b.running(b.url("working.git")).ID, folder)
}

// installsForItself installs the package cairnown as people do, from a folder of wheels.
func (b *bench) installsForItself(id, folder string) {
	b.Helper()
	const wheel = "cairnown-1.0-py3-none-any.whl"
	content, err := os.ReadFile(filepath.Join(folder, wheel))
	if err != nil {
		b.Fatal(err)
	}
	writeFile(b, b.work(id, wheel), string(content))
	b.wants("pip", b.cell(id, `
import subprocess
print(subprocess.run(["pip", "install", "--no-index", "`+wheel+`"], capture_output=True, text=True))`), "Successfully installed cairnown-1.0")
	b.wants("the package", b.cell(id, `import cairnown; print(cairnown.answer(), cairnown.__file__)`), "own 1.0 /session/home/")
}

// A package that doesn't exist, or not in that version, is left out alone, and so is one that needs such a package.
func TestPackagesThatDoNotExistAreLeftOut(t *testing.T) {
	t.Parallel()
	folder := wheels(t)
	wheel(t, folder, "cairnneedy", "Requires-Dist: cairnunknown>=2\n")
	wheel(t, folder, "affine", "")
	b := newBench(t, func(options *localjupyter.Options) { options.Pip.FindLinks = folder })
	b.repository("packages.git", func(folder string) {
		writeFile(t, folder+"/environment.yml", "dependencies: [python=2.7, affine=1.0=py_0, numpy, {pip: [cairndemo==7, cairnneedy, cairnunknown, cairnextra]}]\n")
	})
	b.open()
	spec := b.running(b.url("packages.git"))
	status := b.await(spec.ID, engine.Running)
	var left []string
	for _, one := range status.LeftOut {
		left = append(left, one.What)
	}
	if strings.Join(left, ", ") != "Python==2.7.*, cairndemo==7, cairnunknown, cairnneedy" || status.LeftOut[3].Why != "It needs cairnunknown>=2, which the package index doesn't have." {
		t.Errorf("Left out: %+v\n%s", status.LeftOut, status.Log)
	}
	note := b.read(b.work(spec.ID, "Environment.txt"))
	for _, line := range []string{"  affine 1.0\n  cairnextra 1.0\n", "instead:\n  affine=1.0=py_0 (conda): affine\n", "On this server anyway:\n  numpy 1."} {
		if !strings.Contains(note, line) {
			t.Errorf("Beside the work it says %q", note)
		}
	}
	b.wants("the other packages", b.cell(spec.ID, `import affine, cairnextra; print(cairnextra.answer(), affine.answer())`), "extra 1.0 affine 1.0")
	again := b.await(b.running(b.url("packages.git")).ID, engine.Running)
	if strings.Contains(again.Log, "Collecting") || len(again.LeftOut) != 4 {
		t.Errorf("The second start installed again: %+v %s", again.LeftOut, again.Log)
	}
}

func TestWithoutASourceOfPackagesTheSessionStartsAndTellsSo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.repository("packages.git", func(folder string) { writeFile(t, folder+"/requirements.txt", "cairndemo\nnumpy\n") })
	b.open()
	spec := b.running(b.url("packages.git"))
	status := b.await(spec.ID, engine.Running)
	want := engine.LeftOut{
		What: "cairndemo", Why: "Packages aren't installed: sessions on this server have no network, and the operators don't keep a folder of wheels.",
	}
	if len(status.LeftOut) != 1 || status.LeftOut[0] != want || !strings.Contains(status.Log, want.Why) {
		t.Errorf("Left out: %+v, the log %s", status.LeftOut, status.Log)
	}
	if note := b.read(b.work(spec.ID, "Environment.txt")); !strings.Contains(note, "Nothing was installed") || !strings.Contains(note, want.Why) {
		t.Errorf("Beside the work it says %q", note)
	}
}

// TestInstallingCannotReachSessions runs the code of a package while it is installed.
func TestInstallingCannotReachSessions(t *testing.T) {
	t.Parallel()
	folder := wheels(t)
	b := newBench(t, func(options *localjupyter.Options) { options.Pip.FindLinks = folder })
	b.open()
	other := b.running(b.url("working.git"))
	pid, account := b.engine.Process(other.ID)
	source := filepath.Join(t.TempDir(), "cairnhostile-1.0")
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, source+"/setup.py", fmt.Sprintf(`
import os, socket, subprocess, sys
from setuptools import setup
def attempt(what, work):
    try:
        return what + " REACHED " + str(work())
    except Exception as error:
        return what + " refused"
subprocess.Popen(["/usr/bin/setsid", "/usr/bin/sleep", "987654"], env={}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
lines = [
    attempt("sessions", lambda: os.listdir(%q)), attempt("process", lambda: open("/proc/%d/environ").read()),
    attempt("network", lambda: socket.create_connection(("127.0.0.1", %s), timeout=5)),
    attempt("cache", lambda: os.listdir("/session/environments/..")[0:0] + os.listdir("/root")),
    "account " + str(os.getuid()),
]
setup(name="cairnhostile", version="1.0", py_modules=[], description="; ".join(lines))
`, b.options.Dir, pid, b.repositories.URL[strings.LastIndex(b.repositories.URL, ":")+1:]))
	tarGz(t, filepath.Dir(source), folder+"/cairnhostile-1.0.tar.gz")
	b.repository("packages.git", func(folder string) { writeFile(t, folder+"/requirements.txt", "cairnhostile") })
	spec := b.running(b.url("packages.git"))
	said := b.cell(spec.ID, `from importlib.metadata import metadata; print(metadata("cairnhostile")["Summary"])`)
	if strings.Contains(said, "REACHED") || strings.Count(said, "refused") != 4 || strings.Contains(said, "account 0") ||
		strings.Contains(said, "account "+itoa(account)) {
		t.Errorf("The installation got through: %s", said)
	}
	if left := processesNaming("sleep\x00987654"); len(left) != 0 {
		t.Errorf("The installation left processes %v", left)
	}
}

// TestThoroughAnInstallationThatACrashLeftIsEnded: its account is noted before it begins.
func TestThoroughAnInstallationThatACrashLeftIsEnded(t *testing.T) {
	t.Parallel()
	folder := wheels(t)
	b := newBench(t, func(options *localjupyter.Options) { options.Pip.FindLinks = folder })
	source := filepath.Join(t.TempDir(), "cairnslow-1.0")
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	seconds := itoa(300000 + os.Getpid()%100000)
	writeFile(t, source+"/setup.py", `
import os
os.execve("/usr/bin/sleep", ["sleep", "`+seconds+`"], {})`)
	tarGz(t, filepath.Dir(source), folder+"/cairnslow-1.0.tar.gz")
	b.repository("packages.git", func(folder string) { writeFile(t, folder+"/requirements.txt", "cairnslow") })
	b.open()
	spec := b.spec(b.url("packages.git"))
	b.start(spec)
	first := b.awaitProcess("sleep\x00"+seconds, 0)
	b.open() // after a kill -9, which ends no process
	second := b.awaitProcess("sleep\x00"+seconds, first)
	if alive := processesNaming("sleep\x00" + seconds); len(alive) != 1 || alive[0] != second {
		t.Errorf("The processes are %v, the first was %d", alive, first)
	}
	b.stop(spec.ID)
	if left := processesNaming("sleep\x00" + seconds); len(left) != 0 {
		t.Errorf("The stop left %v", left)
	}
}

// awaitProcess waits for a process that was not there before.
func (b *bench) awaitProcess(text string, before int) int {
	b.Helper()
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	for late := time.After(8 * time.Minute); ; {
		for _, pid := range processesNaming(text) {
			if pid != before {
				return pid
			}
		}
		select {
		case <-ticks.C:
		case <-late:
			b.Fatalf("No process is %q", text)
		}
	}
}
