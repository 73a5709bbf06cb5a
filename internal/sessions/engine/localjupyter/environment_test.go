package localjupyter_test

import (
	"archive/zip"
	"fmt"
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
	for _, name := range []string{"demo", "extra", "own"} {
		file, err := os.Create(filepath.Join(folder, "cairn"+name+"-1.0-py3-none-any.whl"))
		if err != nil {
			t.Fatal(err)
		}
		archive := zip.NewWriter(file)
		info := "cairn" + name + "-1.0.dist-info/"
		for entry, text := range map[string]string{
			"cairn" + name + ".py": "def answer(): return '" + name + " 1.0'\n",
			info + "METADATA":      "Metadata-Version: 2.1\nName: cairn" + name + "\nVersion: 1.0\n",
			info + "WHEEL":         "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
			info + "RECORD":        "",
		} {
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
	return folder
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
		writeFile(t, folder+"/cairn.yml", "project:\n  name: X\n  additional_dependencies:\n    pip: [cairnextra]\n    conda: [gromacs]\n    modules: [cuda]\n")
	})
	b.open()
	spec := b.running(b.url("packages.git"))
	status := b.await(spec.ID, engine.Running)
	detail := stepOf(status, engine.StepEnvironment).Detail
	for _, left := range []string{"-e .", "conda (gromacs)", "modules (cuda)"} {
		if !strings.Contains(detail, left) || !strings.Contains(status.Log, left) {
			t.Errorf("Nothing tells that %s is not supported: %q\n%s", left, detail, status.Log)
		}
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
	if strings.Contains(status.Log, "Collecting") {
		t.Errorf("The packages were installed again: %s", status.Log)
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

func TestPackagesThatDoNotExistFailTheLaunch(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) { options.Pip.FindLinks = wheels(t) })
	b.repository("packages.git", func(folder string) { writeFile(t, folder+"/requirements.txt", "cairndemo==7") })
	b.open()
	spec := b.spec(b.url("packages.git"))
	b.start(spec)
	status := b.awaitFailed(spec.ID)
	if stepOf(status, engine.StepEnvironment).State != engine.Broken ||
		!strings.HasPrefix(status.Reason, "The packages of this repository could not be installed: No matching distribution found for cairndemo==7") {
		t.Errorf("The launch ended with %+v", status)
	}
	b.nothingLeft(spec.ID)
}

func TestWithoutASourceOfPackagesTheSessionStartsAndTellsSo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.repository("packages.git", func(folder string) { writeFile(t, folder+"/requirements.txt", "cairndemo") })
	b.open()
	status := b.await(b.running(b.url("packages.git")).ID, engine.Running)
	const want = "Packages are not installed: sessions have no network on this server, and its operators keep no folder of wheels."
	if detail := stepOf(status, engine.StepEnvironment).Detail; detail != want || !strings.Contains(status.Log, want) {
		t.Errorf("The step tells %q, the log %s", detail, status.Log)
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
	for late := time.After(60 * time.Second); ; {
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
