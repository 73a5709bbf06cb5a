package localjupyter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"cairn/internal/sessions/files/workers"

	"github.com/google/uuid"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/datasets"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// A session may let go of its server before the poller has told of the end.
func TestAServerThatIsLetGoIsFollowedToItsEnd(t *testing.T) {
	e, err := New(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := e.newSession(uuid.NewString())
	s.mu.Lock()
	s.record.UserID, err = pickAccount(e.sandbox)
	s.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	box := sandbox.Box{Account: s.record.UserID, Folder: "/", Command: []string{"/usr/bin/sleep", "60"}}
	server, err := e.sandbox.Start(t.Context(), (&launch{session: s, engine: e}).boxed(box))
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	s.server = server
	s.closeServer()
	s.mu.Unlock()
	if err := e.sandbox.Sweep(t.Context(), server.Record()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-server.Exited():
	case <-time.After(8 * time.Minute):
		t.Fatal("Its end is not seen")
	}
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", server.Record().Process.PID)); err == nil {
		t.Error("It is a zombie")
	}
}

// The socket lies in a folder of the session: a link there could lead the gateway, which is root, to any socket.
func TestReplacedSocketIsNotDialed(t *testing.T) {
	folder := t.TempDir()
	socket := filepath.Join(folder, "real")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	reach := func(socket string, account int) (reads, changes error) {
		client := newClient(socket, account, "id", "token")
		defer client.close()
		return client.status(t.Context()), client.shutdown(t.Context())
	}
	if reads, changes := reach(socket, os.Geteuid()); reads != nil || changes != nil || asked.Load() != 2 {
		t.Fatal(reads, changes, asked.Load())
	}
	link, file := filepath.Join(folder, "link"), filepath.Join(folder, "file")
	if err := os.Symlink(socket, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, one := range map[string]struct {
		socket  string
		account int
	}{"a link": {link, os.Geteuid()}, "a file": {file, os.Geteuid()}, "another's account": {socket, os.Geteuid() + 1}} {
		if reads, changes := reach(one.socket, one.account); reads == nil || changes == nil || asked.Load() != 2 {
			t.Errorf("%s is dialed: %v, %v", name, reads, changes)
		}
	}
}

func TestLogTail(t *testing.T) {
	const secret = "0123456789abcdef"
	log := &sessionLog{folder: t.TempDir()}
	path := log.path()
	text := strings.Repeat("é"+secret+"\n", 3000) + "\xff\x00 last " + secret
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for cut := range 40 { // the end of the file cuts the secret everywhere
		if err := os.WriteFile(path, []byte(text[cut:]), 0o600); err != nil {
			t.Fatal(err)
		}
		got := log.tail(secret)
		if len(got) > engine.LogLimit || len(got) < engine.LogLimit/4 || !utf8.ValidString(got) ||
			!strings.HasSuffix(got, "last [secret]") {
			t.Fatalf("The tail has %d bytes and ends with %q", len(got), got[max(0, len(got)-30):])
		}
		for part := 4; part < len(secret); part++ {
			if strings.Contains(got, secret[part:]) {
				t.Fatalf("A part of the secret is left: %q", got[:60])
			}
		}
	}
}

// Whoever writes a log waits until it is copied, here by a program that ends.
func TestLogStaysWithinItsBound(t *testing.T) {
	t.Parallel()
	log := &sessionLog{folder: t.TempDir()}
	line := strings.Repeat("x", 99) + "\n"
	for range logMost/len(line) + 10 {
		if _, err := log.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if about, err := os.Stat(log.path()); err != nil || about.Size() > logMost {
			t.Fatalf("It has %d bytes: %v", about.Size(), err)
		}
	}
	if _, err := log.Write([]byte(strings.Repeat(line, 2*logMost/len(line)) + "after\n")); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(log.path())
	if err != nil || len(content) > logMost || !strings.HasSuffix(string(content), line+"after\n") {
		t.Errorf("It has %d bytes: %v", len(content), err)
	}
}

// What a session does with its output is tried by the programs of different languages, in a box as Jupyter is.
func TestNoSessionCanFillTheDiskThroughItsLog(t *testing.T) {
	t.Parallel()
	for name, command := range map[string][]string{
		"Python takes the descriptor of process 1": {"/usr/bin/python3", "-c", `
import ctypes, os
taken = ctypes.CDLL(None).syscall(438, os.pidfd_open(1), 1, 0)
for descriptor in (1, 2, taken):
    for grow in (lambda: os.posix_fallocate(descriptor, 0, 64 << 20), lambda: os.truncate(descriptor, 64 << 20)):
        try: grow()
        except OSError: pass
print("the end", flush=True)`},
		"a program preallocates": {"/bin/sh", "-c", `fallocate -n -l 64M /proc/self/fd/1; fallocate -l 64M /proc/1/fd/2; truncate -s 64M /proc/self/fd/1; echo the end`},
		"Perl writes":            {"/usr/bin/perl", "-e", `$|=1; print "x" x 1048576 for 1..3; print "\nthe end\n"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestSession(t, Options{})
			s.engine.workers = workers.New()
			defer s.engine.workers.Close()
			if s.engine.sandbox.Level().OwnAccount() {
				account, err := pickAccount(s.engine.sandbox)
				if err != nil {
					t.Fatal(err)
				}
				s.record.UserID = account
			}
			server, err := (&launch{session: s, engine: s.engine}).spawnServer(t.Context(), sandbox.Box{Account: s.record.UserID, Folder: "/", Command: command})
			if err != nil {
				t.Fatal(err)
			}
			<-server.Exited()
			if err := s.sweep(); err != nil {
				t.Fatal(err)
			}
			if used, err := folders.DiskUse(s.folder); err != nil || used > logMost+64<<10 {
				t.Errorf("Its folder takes %d bytes: %v", used, err)
			}
			if text := s.logTail(); !strings.HasSuffix(text, "the end\n") {
				t.Errorf("The log ends with %q", text[max(0, len(text)-300):])
			}
		})
	}
}

// A program goes on while no server runs, and the next one reads what it wrote.
func TestLogIsCopiedByTheNextServer(t *testing.T) {
	t.Parallel()
	log := &sessionLog{folder: t.TempDir()}
	output, err := log.output()
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	for _, line := range []string{"first\n", "second\n"} {
		server := workers.New()
		if _, err := output.WriteString(line); err != nil {
			t.Fatal(err)
		}
		next := &sessionLog{folder: log.folder}
		if err := next.follow(server); err != nil {
			t.Fatal(err)
		}
		awaitThat(t, "its line", func() bool { return strings.HasSuffix(next.tail(""), line) })
		server.Close()
	}
	if got := log.tail(""); got != "first\nsecond\n" {
		t.Errorf("The log is %q", got)
	}
	if err := (&sessionLog{folder: t.TempDir()}).follow(workers.New()); err != nil {
		t.Errorf("A session of an earlier version, which has no pipe: %v", err)
	}
}

// A launch that a stop took back may end a step after the next start was asked for.
func TestALaunchBeginsWithWaitingSteps(t *testing.T) {
	e, err := New(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := e.newSession(uuid.NewString())
	s.record.Spec.Repository.URL = "https://example.org/a"
	s.record.Steps = waitingSteps(s.record.Spec)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.record.Steps[1].State, s.record.Steps[1].EndedAt = engine.Done, time.Now()
	if err := s.launch(ctx); err != nil || !slices.Equal(s.record.Steps, waitingSteps(s.record.Spec)) {
		t.Errorf("The steps are %+v %v", s.record.Steps, err)
	}
}

// A command that a deadline ended may have lines in its pipe that are read after the launch was given up.
func TestLateLinesBringNoStepBack(t *testing.T) {
	e, err := New(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := e.newSession(uuid.NewString())
	s.record.Spec.Repository.URL = "https://example.org/a"
	s.record.Steps = waitingSteps(s.record.Spec)
	ctx, l := s.newLaunch(t.Context())
	l.watchdog.Reset(time.Hour)
	var late func(string)
	failed := l.step(ctx, engine.StepRepository, func(tell func(string)) error {
		late = tell
		tell("Receiving objects: 1 %")
		l.giveUp(errDeadline)
		return errDeadline
	})
	l.watchdog.Stop()
	late("Receiving objects: 2 %")
	step := s.record.Steps[0]
	if !errors.Is(failed, errDeadline) || step.State != engine.Broken || step.Detail != "Receiving objects: 1 %" {
		t.Errorf("The step is %+v, %v", step, failed)
	}
	if l.watchdog.Stop() {
		t.Error("The watchdog runs again")
	}
}

func TestOptions(t *testing.T) {
	for name, options := range map[string]Options{
		"relative folder": {Dir: "sessions"},
		"long sockets":    {Dir: "/srv", RuntimeDir: "/" + strings.Repeat("x", 40)},
		"no origin":       {Dir: "/srv", FrameAncestors: "http://x'; frame-src *"},
		"a path":          {Dir: "/srv", FrameAncestors: "http://x/y"},
		"PATH":            {Dir: "/srv", Git: "git"},
	} {
		if _, err := options.complete(); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := (Options{Dir: "/srv", FrameAncestors: "http://localhost:8080"}).complete(); err != nil {
		t.Error(err)
	}
}

func TestRecordRoundTrip(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "01890a5d-ac96-774b-bcce-b302099a8057")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	saved := record{
		Spec: engine.Spec{ID: filepath.Base(folder)}, Phase: engine.Running, UserID: 7, Token: "x",
		Server: sandbox.Identity{PID: 1, StartTime: 1 << 60, BootID: "b"},
	}
	if err := saved.save(folder); err != nil {
		t.Fatal(err)
	}
	loaded, err := loadRecord(folder)
	if err != nil || loaded.Server != saved.Server || loaded.Token != "x" || loaded.UserID != 7 {
		t.Errorf("loaded %+v %v", loaded, err)
	}
	if about, err := os.Stat(filepath.Join(folder, recordName)); err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("The record is open: %v %v", about, err)
	}
	if _, err := loadRecord(filepath.Dir(folder)); err == nil {
		t.Error("A folder without a record was loaded")
	}
}

// An update must find the sessions again that the version before started.
func TestRecordsOfEarlierVersions(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "01890a5d-ac96-774b-bcce-b302099a8057")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	const text = `{"Spec": {"ID": "01890a5d-ac96-774b-bcce-b302099a8057"}, "Phase": "running", "UserID": 7, "Token": "x",
		"Server": {"PID": 1, "StartTime": 2, "BootID": "b"}, "First": {"PID": 3, "StartTime": 4, "BootID": "b"},
		"Uses": {"key": true}, "Groups": ["/sys/fs/cgroup/x"], "Helper": 9}`
	if err := os.WriteFile(filepath.Join(folder, recordName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := loadRecord(folder)
	if err != nil || loaded.Phase != engine.Running || !loaded.Pinned["key"] || loaded.Groups[0] != "/sys/fs/cgroup/x" || loaded.BuildAccount != 9 {
		t.Fatalf("loaded %+v %v", loaded, err)
	}
	if box := loaded.box(loaded.Spec.ID); box != (sandbox.Record{
		Name: loaded.Spec.ID, Account: 7, Process: sandbox.Identity{PID: 1, StartTime: 2, BootID: "b"},
		First: sandbox.Identity{PID: 3, StartTime: 4, BootID: "b"},
	}) {
		t.Errorf("It is found by %+v", box)
	}
}

func TestExitCodesAreExplained(t *testing.T) {
	t.Parallel()
	reason, code := exitReason(137, memoryState{}, 2<<30, time.Now())
	if code != diagnosis.Memory || reason != "Jupyter stopped, probably because it ran out of memory (limit 2 GiB). The work is kept." {
		t.Errorf("got %q and %q", code, reason)
	}
	if reason, code := exitReason(1, memoryState{}, 2<<30, time.Now()); code != "" || reason != "Jupyter stopped unexpectedly (exit code 1). The work is kept." {
		t.Errorf("got %q and %q", code, reason)
	}
}

func TestFailuresOfLaunchesHaveCodes(t *testing.T) {
	t.Parallel()
	told := fault.New(fault.Unavailable, "Words.")
	for want, cause := range map[diagnosis.Code]error{
		"":                       told,
		diagnosis.Time:           errDeadline,
		diagnosis.DiskFull:       datasets.Missing(fault.Wrap(syscall.ENOSPC, fault.Unavailable, "Words."), "id"),
		diagnosis.DatasetMissing: datasets.Missing(fault.Wrap(errDeadline, fault.Unavailable, "Words."), "id"),
		diagnosis.RefUnknown:     engine.RefNotFound("trial", nil),
		diagnosis.TooLarge:       diagnosis.With(told, diagnosis.TooLarge),
		diagnosis.ServerFault:    errors.New("a folder can't be made"),
	} {
		if got := codeOf(fmt.Errorf("a step: %w", cause)); got != want {
			t.Errorf("%v: got %q, want %q", cause, got, want)
		}
	}
}
