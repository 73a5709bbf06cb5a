package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agent"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/files/history"
)

const (
	token   = "the-token-of-the-test"
	session = "0195a000-0000-7000-8000-000000000001"
)

// bench is an agent with its own folder.
type bench struct {
	*testing.T

	options agent.Options
	agent   *agent.Agent
}

func newBench(t *testing.T, change ...func(*agent.Options)) *bench {
	t.Helper()
	folder := t.TempDir()
	b := &bench{T: t, options: agent.Options{
		Root: filepath.Join(folder, "root"), DataRoot: filepath.Join(folder, "data"), Token: token, Release: "1", Interval: 20 * time.Millisecond,
		Versions: history.Versions{Every: 50 * time.Millisecond},
	}}
	if err := os.MkdirAll(filepath.Join(b.options.DataRoot, "spikes"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, alter := range change {
		alter(&b.options)
	}
	b.open()
	t.Cleanup(b.close)
	return b
}

func (b *bench) open() {
	b.Helper()
	opened, err := agent.New(b.options)
	if err != nil {
		b.Fatal(err)
	}
	b.agent = opened
}

func (b *bench) close() {
	if err := b.agent.Close(); err != nil {
		b.Error(err)
	}
}

// ask calls the agent and returns the status and the body.
func (b *bench) ask(ctx context.Context, method, path string, send any) (int, string) {
	b.Helper()
	body, err := json.Marshal(send)
	if err != nil {
		b.Fatal(err)
	}
	request := httptest.NewRequestWithContext(ctx, method, agentapi.Path+path, bytes.NewReader(body))
	request.Header.Set("Authorization", "token "+token)
	answer := httptest.NewRecorder()
	b.agent.Handler().ServeHTTP(answer, request)
	return answer.Code, answer.Body.String()
}

// prepare has a session made ready, and returns the last event.
func (b *bench) prepare(permit agentapi.Permit) agentapi.Event {
	b.Helper()
	if permit.Session == "" {
		permit.Session = session
	}
	permit.Owner, permit.Launch = "ann@example.org", permit.Launch+1
	status, text := b.ask(b.Context(), http.MethodPost, permit.Session+"/prepare", agentapi.Prepare{Permit: permit})
	if status != http.StatusOK {
		b.Fatalf("prepare: %d %s", status, text)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var last agentapi.Event
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		b.Fatal(err)
	}
	return last
}

func (b *bench) work(name string) string {
	return filepath.Join(b.options.Root, session, "work", name)
}

// put writes a file with the rights of the session's account.
func (b *bench) put(name, text string) {
	b.Helper()
	if err := os.WriteFile(b.work(name), []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

// eventually waits for what the agent tells.
func (b *bench) eventually(what string, holds func(states agentapi.States) bool) {
	b.Helper()
	late := time.After(time.Minute)
	for {
		_, text := b.ask(b.Context(), http.MethodGet, "states", nil)
		var states agentapi.States
		if err := json.Unmarshal([]byte(text), &states); err != nil {
			b.Fatal(err)
		}
		if holds(states) {
			return
		}
		select {
		case <-late:
			b.Fatalf("%s: not after a minute: %s", what, text)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestNobodyIsLetInWithoutTheToken(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, given := range []string{"", "token ", "token wrong", "Bearer " + token, token} {
		for _, path := range []string{"", "states", session, session + "/versions"} {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, agentapi.Path+path, http.NoBody)
			request.Header.Set("Authorization", given)
			answer := httptest.NewRecorder()
			b.agent.Handler().ServeHTTP(answer, request)
			if answer.Code != http.StatusForbidden || answer.Body.Len() != 0 {
				t.Errorf("%q is let in at %q: %d", given, path, answer.Code)
			}
		}
	}
}

// A name that isn't a session's id never becomes part of a path.
func TestOnlySessionsHaveFolders(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kept := filepath.Join(b.options.Root, ".versions", "kept")
	if err := os.MkdirAll(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{".versions", "%2e%2e", "..%2f..%2fetc", strings.ToUpper(session), session + "x"} {
		for _, call := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"PUT", "/phase"}, {"POST", "/prepare"}, {"POST", "/retire"}} {
			status, text := b.ask(t.Context(), call[0], id+call[1], agentapi.Prepare{Permit: agentapi.Permit{Session: id}})
			if status == http.StatusOK || status == http.StatusNoContent {
				t.Errorf("%s %s%s answers %d %s", call[0], id, call[1], status, text)
			}
		}
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

func TestDatasetsStayBelowTheirRoot(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	root := b.options.DataRoot
	for link, to := range map[string]string{"link": "/etc", "alias": "spikes"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(root+"-of-others", 0o755); err != nil {
		t.Fatal(err)
	}
	place := func(path, folder string) agentapi.Event {
		return b.prepare(agentapi.Permit{Datasets: []agentapi.Dataset{{ID: "1", Name: "Spikes", Folder: folder, Path: path}}})
	}
	for _, path := range []string{"spikes", "alias"} {
		made := place(path, "spikes").Done
		if made == nil || !slices.Contains(made.Mounts, agentapi.Mount{From: filepath.Join(root, "spikes"), To: "/session/work/data/spikes"}) {
			t.Errorf("%q is mounted as %+v", path, made)
		}
	}
	for _, path := range []string{"../data-of-others", "..", ".", "/etc", "spikes/../../data-of-others", "link", "link/passwd", "absent"} {
		if failed := place(path, "spikes").Failed; failed == nil || failed.Code != diagnosis.DatasetMissing || !slices.Equal(failed.Missing, []string{"1"}) {
			t.Errorf("%q: %+v", path, failed)
		}
	}
	for _, folder := range []string{"", "..", "a/b", "-x", ".hidden", "a\n"} {
		if place("spikes", folder).Failed == nil {
			t.Errorf("a dataset is put into %q", folder)
		}
	}
}

func TestEveryDatasetThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	failed := b.prepare(agentapi.Permit{Datasets: []agentapi.Dataset{
		{ID: "1", Name: "A", Folder: "a", Unavailable: "It is private."},
		{ID: "2", Name: "B", Folder: "b", Path: "spikes"},
		{ID: "3", Name: "C", Folder: "c", Path: "absent"},
		{ID: "4", Name: "D", Folder: "d", URL: "https://example.org/d"},
	}}).Failed
	if failed == nil || !slices.Equal(failed.Missing, []string{"1", "3", "4"}) || !strings.Contains(failed.Reason, "doesn't fetch datasets") {
		t.Errorf("%+v", failed)
	}
}

// A folder of a user's own in place of one of ours is kept beside it, and never followed.
func TestALinkInPlaceOfTheDataIsNotFollowed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.prepare(agentapi.Permit{})
	if err := os.Remove(b.work("data")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", b.work("data")); err != nil {
		t.Fatal(err)
	}
	if made := b.prepare(agentapi.Permit{Launch: 1}).Done; made == nil {
		t.Fatal("it can't be made ready")
	}
	if about, err := os.Lstat(b.work("data")); err != nil || !about.IsDir() {
		t.Errorf("the folder is %v, %v", about, err)
	}
}

// The hub of an earlier release started a session, so the agent has no record of it: the server tells whose it is, and nothing stops.
func TestASessionOfAnEarlierReleaseIsSaved(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := os.MkdirAll(b.work(""), 0o700); err != nil {
		t.Fatal(err)
	}
	b.put("mine.txt", "precious")
	if status, text := b.ask(t.Context(), "PUT", session+"/phase", agentapi.Phase{Owner: "ann@example.org", Phase: engine.Running, Launch: 3}); status != http.StatusNoContent {
		t.Fatal(status, text)
	}
	b.eventually("a version is made", func(states agentapi.States) bool { return states.Sessions[session].Saving.Versions >= 1 })
	_, text := b.ask(t.Context(), "GET", session+"/versions?most=1", nil)
	if !strings.Contains(text, `"Cause":"timer"`) {
		t.Errorf("the version is %s", text)
	}
}

// What a server says about an earlier launch comes too late.
func TestALateEndChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.prepare(agentapi.Permit{Launch: 4})
	for launch, want := range map[int64]engine.Phase{4: engine.Starting, 5: engine.Ended} {
		b.ask(t.Context(), "PUT", session+"/phase", agentapi.Phase{Phase: engine.Ended, Launch: launch, Cause: engine.VersionStop})
		b.eventually("the phase is known", func(states agentapi.States) bool {
			return states.Sessions[session].Phase == want || want == engine.Starting && states.Sessions[session].Phase == engine.Ended
		})
	}
}

// Whoever is killed, what was saved is there, and what changed meanwhile is saved when the agent is back.
func TestWhatChangedWhileTheAgentWasAwayIsSaved(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.prepare(agentapi.Permit{})
	b.ask(t.Context(), "PUT", session+"/phase", agentapi.Phase{Owner: "ann@example.org", Phase: engine.Running, Launch: 1})
	b.put("mine.txt", "one")
	b.eventually("a version is made", func(states agentapi.States) bool { return states.Sessions[session].Saving.Versions >= 1 })
	b.agent.Abandon()
	b.put("mine.txt", "two")
	b.open()
	b.eventually("another one is made", func(states agentapi.States) bool { return states.Sessions[session].Saving.Versions >= 2 })
	_, text := b.ask(t.Context(), "GET", session+"/versions?most=1", nil)
	if !strings.Contains(text, `"Cause":"lost"`) {
		t.Errorf("the version is %s", text)
	}
}

func TestADiskThatCannotBeWrittenIsToldAsSuch(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a disk")
	}
	b := newBench(t)
	b.prepare(agentapi.Permit{})
	folder := filepath.Join(b.options.Root, session)
	for _, one := range []struct {
		flags   uintptr
		options string
		code    diagnosis.Code
		says    string
	}{{0, "nr_inodes=1", diagnosis.DiskFull, "disk is full"}, {unix.MS_RDONLY, "", diagnosis.ServerFault, "read-only"}} {
		if err := unix.Mount("tmpfs", folder, "tmpfs", one.flags, one.options); err != nil {
			t.Fatal(err)
		}
		failed := b.prepare(agentapi.Permit{Launch: 1}).Failed
		if err := unix.Unmount(folder, unix.MNT_DETACH); err != nil {
			t.Fatal(err)
		}
		if failed == nil || failed.Code != one.code || !strings.Contains(failed.Reason, one.says) {
			t.Errorf("%s: %+v", one.says, failed)
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	good := map[string]string{"CAIRN_ROOT": "/srv/cairn", "CAIRN_TOKEN": "x", "JUPYTERHUB_SERVICE_URL": "http://127.0.0.1:8003", "CAIRN_ALLOW": "10.0.0.0/8 fd00::/8"}
	options, address, err := agent.Settings(func(name string) string { return good[name] })
	if err != nil || address != "127.0.0.1:8003" || options.Versions.Every != time.Minute || options.DatasetBytes != 20<<30 {
		t.Errorf("%+v %s %v", options, address, err)
	}
	for name, value := range map[string]string{
		"CAIRN_ALLOW": "everything", "CAIRN_KEPT_BYTES": "much", "CAIRN_DATASET_BYTES": "-1", "CAIRN_VERSIONS_EVERY": "60", "JUPYTERHUB_SERVICE_URL": "http://127.0.0.1",
	} {
		_, _, err := agent.Settings(func(asked string) string {
			if asked == name {
				return value
			}
			return good[asked]
		})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

// The end of a launch may be told after its session was removed.
func TestTheEndOfARemovedSessionLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if status, text := b.ask(t.Context(), "PUT", session+"/phase", agentapi.Phase{Owner: "ann@example.org", Phase: engine.Ended, Launch: 1, Cause: engine.VersionStop}); status != http.StatusNoContent {
		t.Errorf("It answers %d: %s", status, text)
	}
	if _, err := os.Lstat(filepath.Join(b.options.Root, session)); !os.IsNotExist(err) {
		t.Errorf("A folder is there: %v", err)
	}
}
