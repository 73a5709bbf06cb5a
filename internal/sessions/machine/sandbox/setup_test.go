package sandbox_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/machine/sandbox"
)

// serverVariable makes this test binary a server that starts a box and is killed: it contains the box and the folder of
// its sandbox as JSON.
const serverVariable = "CAIRN_TEST_SERVER"

func TestMain(m *testing.M) {
	if text := os.Getenv(serverVariable); text != "" {
		_, _ = os.Stdout.WriteString(serve(text) + "\n")
		select {}
	}
	m.Run()
}

// wanted is what a server should start.
type wanted struct {
	Dir string
	Box sandbox.Box
}

// serve starts a box and returns its record as JSON.
func serve(text string) string {
	var wanted wanted
	if err := json.Unmarshal([]byte(text), &wanted); err != nil {
		return err.Error()
	}
	opened, err := sandbox.Open(options(wanted.Dir))
	if err != nil {
		return err.Error()
	}
	process, err := opened.Start(context.Background(), wanted.Box)
	if err != nil {
		return err.Error()
	}
	record, err := json.Marshal(process.Record())
	if err != nil {
		return err.Error()
	}
	return string(record)
}

func options(folder string) sandbox.Options {
	return sandbox.Options{Dir: folder, Name: "cairn-test-" + filepath.Base(folder), Variable: "CAIRN_TEST_BOX", Network: sandbox.Internet}
}

// bench is a sandbox on a folder that only its owner may enter, as /root is.
type bench struct {
	testing.TB
	*sandbox.Sandbox

	folder string
	closed []string // names of boxes that must be gone at the end
}

func open(t testing.TB, change ...func(*sandbox.Options)) *bench {
	t.Helper()
	b := &bench{TB: t, folder: filepath.Join(t.TempDir(), strings.ToLower(rand.Text()[:8]))}
	if err := os.Mkdir(b.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	wanted := options(b.folder)
	for _, change := range change {
		change(&wanted)
	}
	var err error
	if b.Sandbox, err = sandbox.Open(wanted); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.finish)
	return b
}

// finish checks that nothing is left.
func (b *bench) finish() {
	for _, name := range b.closed {
		if left := processesNaming("CAIRN_TEST_BOX=" + name); len(left) != 0 {
			b.Errorf("Processes %v of box %s are left", left, name)
		}
	}
	b.Close()
	if left, _ := filepath.Glob("/sys/fs/cgroup/*/cairn-test-" + filepath.Base(b.folder) + "-*"); len(left) != 0 {
		b.Errorf("Control groups are left: %v", left)
	}
}

// box returns a box that runs Python, with a writable folder, which is "work" inside the box and which its account may
// enter.
func (b *bench) box(code string) sandbox.Box {
	b.Helper()
	box := sandbox.Box{Name: rand.Text(), Command: []string{"/usr/bin/python3", "-c", code}, Folder: "/box/work"}
	b.closed = append(b.closed, box.Name)
	work := filepath.Join(b.folder, box.Name)
	err := os.Mkdir(work, 0o700)
	if err == nil && b.Level().OwnAccount() {
		if box.Account, err = b.PickAccount(); err == nil {
			err = os.Chown(work, box.Account, box.Account)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	box.Mounts = []sandbox.Mount{{From: work, To: "/box/work", Writable: true}}
	if !b.Level().Mounts() {
		box.Folder = work
	}
	return box
}

// run runs a box to its end and returns what it printed.
func (b *bench) run(box sandbox.Box) string {
	b.Helper()
	said, err := b.try(box)
	if err != nil {
		b.Errorf("The box ended with %v and said %s", err, said)
	}
	b.sweep(sandbox.Record{Name: box.Name, Account: box.Account})
	return said
}

func (b *bench) try(box sandbox.Box) (string, error) {
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	var said []byte
	err := b.Run(ctx, box, func(from io.Reader) (err error) {
		said, err = io.ReadAll(from)
		return err
	})
	return string(said), err
}

func (b *bench) start(box sandbox.Box) *sandbox.Process {
	b.Helper()
	process, err := b.Start(b.Context(), box)
	if err != nil {
		b.Fatal(err)
	}
	return process
}

func (b *bench) sweep(record sandbox.Record) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 30*time.Second)
	defer cancel()
	if err := b.Sweep(ctx, record); err != nil {
		b.Error(err)
	}
}

// await waits for the end of a box.
func (b *bench) await(process *sandbox.Process) {
	b.Helper()
	select {
	case <-process.Exited():
	case <-time.After(time.Minute):
		b.Fatal("The box does not end")
	}
}

// wants compares what a box printed.
func (b *bench) wants(what, printed, want string) {
	b.Helper()
	if !strings.Contains(printed, want) {
		b.Errorf("%s: the box printed %q, want %q in it", what, printed, want)
	}
}

// processesNaming lists the living processes whose environment or command line contains a text.
func processesNaming(text string) []string {
	var found []string
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		environment, _ := os.ReadFile(folder + "/environ")
		command, _ := os.ReadFile(folder + "/cmdline")
		if strings.Contains(string(environment)+string(command), text) {
			found = append(found, filepath.Base(folder))
		}
	}
	return found
}

func (b *bench) write(path, text string) {
	b.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}
