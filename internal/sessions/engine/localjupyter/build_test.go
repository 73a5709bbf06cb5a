package localjupyter_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
)

// builderScript makes environments as an operator's builder does. It says what it sees of the repository, and what it
// reaches; an environment.yml with the word broken can't be built.
const builderScript = `#!/bin/sh
echo "Files: $(cd "$1" && find . -type f | sort | tr '\n' ' ')"
if grep -q broken "$1/environment.yml"; then echo "There is no package broken."; exit 3; fi
if grep -q empty "$1/environment.yml"; then exit 0; fi
/usr/bin/python3 - <<'END'
import socket, urllib.error, urllib.request
for host, port in [%s]:
    try:
        socket.create_connection((host, port), timeout=2)
        print(host, "REACHED")
    except OSError:
        pass
try:
    urllib.request.urlopen("https://other.example.org/", timeout=20)
except OSError as error:
    print("Other hosts:", error)
END
echo "left out: ffmpeg (apt): Nothing of the system is built here."
/usr/bin/python3 -m venv --system-site-packages --without-pip "$2" || exit
for folder in "$2"/lib/python3.*; do echo "answer = 42" >"$folder/site-packages/built.py"; done
`

func TestABuilderMakesWhatPipCannot(t *testing.T) {
	t.Parallel()
	var closed []string
	for _, address := range forbidden(t) {
		host, port, _ := strings.Cut(address, ":")
		closed = append(closed, fmt.Sprintf("(%q, %s)", host, port))
	}
	b := newBench(t, func(options *localjupyter.Options) {
		options.Builder = localjupyter.Builder{Command: script(t, fmt.Sprintf(builderScript, strings.Join(closed, ", "))), Hosts: []string{"conda.anaconda.org"}}
		options.Web = strictWeb()
	})
	b.repository("built.git", func(folder string) {
		writeFile(t, folder+"/environment.yml", "dependencies: [gromacs]")
		writeFile(t, folder+"/apt.txt", "ffmpeg")
		writeFile(t, folder+"/secret.py", "x = 1")
	})
	b.repository("plain.git", func(folder string) { writeFile(t, folder+"/requirements.txt", "numpy\n") })
	b.open()
	spec := b.running(b.localRepository("built.git"))
	status := b.await(spec.ID, engine.Running)
	left := engine.LeftOut{What: "ffmpeg (apt)", Why: "Nothing of the system is built here."}
	if !slices.Equal(status.LeftOut, []engine.LeftOut{left}) {
		t.Errorf("Left out: %+v", status.LeftOut)
	}
	if !strings.Contains(status.Log, "Files: ./apt.txt ./environment.yml\n") || !strings.Contains(status.Log, "Other hosts: ") || strings.Contains(status.Log, "REACHED") {
		t.Errorf("The builder says %s", status.Log)
	}
	if note := b.read(b.work(spec.ID, "Environment.txt")); !strings.Contains(note, left.What+": "+left.Why) {
		t.Errorf("Beside the work it says %q", note)
	}
	b.wants("the environment", b.cell(spec.ID, `import built, sys; print(built.answer, sys.prefix)`), "42 /session/environments/")

	again := b.await(b.running(b.localRepository("built.git")).ID, engine.Running)
	if strings.Contains(again.Log, "Files:") || !slices.Equal(again.LeftOut, status.LeftOut) {
		t.Errorf("The second start built again, or forgot what was left out: %+v %s", again.LeftOut, again.Log)
	}
	if plain := b.await(b.running(b.localRepository("plain.git")).ID, engine.Running); strings.Contains(plain.Log, "Files:") {
		t.Errorf("It was built although pip is enough: %s", plain.Log)
	}
}

func TestABuilderThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) {
		options.Builder.Command = script(t, fmt.Sprintf(builderScript, ""))
	})
	b.open()
	for word, want := range map[string]string{
		"broken": "The environment of this repository couldn't be built: There is no package broken.",
		"empty":  "The environment builder made no Python for this repository.",
	} {
		b.repository(word+".git", func(folder string) { writeFile(t, folder+"/environment.yml", "dependencies: ["+word+"]") })
		spec := b.spec(b.localRepository(word + ".git"))
		b.start(spec)
		if status := b.awaitFailed(spec.ID); !strings.HasPrefix(status.Reason, want) {
			t.Errorf("%s ended with %q and the log %s", word, status.Reason, status.Log)
		}
	}
}

func TestABuilderHasAnAbsolutePath(t *testing.T) {
	t.Parallel()
	_, err := localjupyter.New(localjupyter.Options{Dir: t.TempDir(), Builder: localjupyter.Builder{Command: "build"}})
	if err == nil || !strings.Contains(err.Error()+fault.MessageOf(err), `"build"`) {
		t.Errorf("It is taken: %v", err)
	}
}

// localRepository needs no network itself.
func (b *bench) localRepository(name string) engine.Repository {
	b.Helper()
	repository := b.url(name)
	repository.LocalPath = filepath.Join(b.folder, name)
	return repository
}

// script writes a program that everybody may run.
func script(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(openFolder(t), "build")
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}
