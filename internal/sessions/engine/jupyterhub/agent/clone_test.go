package agent_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/jupyterhub/agent"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/files/bareclone"
)

// hidden is a private repository, whose address nothing answers at.
var hidden = agentapi.Repository{URL: "https://hidden.invalid/ann/hidden", Folder: "hidden", Private: true}

// packedClone returns a bare clone as a server sends it.
func packedClone(t *testing.T) []byte {
	t.Helper()
	served := &enginetest.Repositories{TB: t, Folder: t.TempDir()}
	var packed bytes.Buffer
	if err := bareclone.Write(t.Context(), served.Make("hidden.git", nil), &packed); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// hiding is a bench with a session of the private repository. Its id is its own: an agent ends the processes of a session by its id,
// whichever test began them.
type hiding struct {
	*bench

	id string
}

func newHiding(t *testing.T, change ...func(*agent.Options)) *hiding {
	t.Helper()
	return &hiding{newBench(t, change...), uuid.Must(uuid.NewV7()).String()}
}

// launch has the session made ready, and returns the last event.
func (b *hiding) launch(before int64) agentapi.Event {
	b.Helper()
	return b.prepare(agentapi.Permit{Session: b.id, Repository: hidden, Launch: before})
}

// send sends a clone for the first launch of the session and returns the status and what is said.
func (b *hiding) send(packed []byte) (int, string) {
	b.Helper()
	request := httptest.NewRequestWithContext(b.Context(), http.MethodPut, agentapi.Path+b.id+"/clone?launch=1", bytes.NewReader(packed))
	request.Header.Set("Authorization", "token "+token)
	answer := httptest.NewRecorder()
	b.agent.Handler().ServeHTTP(answer, request)
	return answer.Code, answer.Body.String()
}

// launching is launch in the background. It returns when the clone is wanted.
func (b *hiding) launching() <-chan agentapi.Event {
	b.Helper()
	done := make(chan agentapi.Event, 1)
	go func() { done <- b.launch(0) }()
	b.eventually("the clone is wanted", func(states agentapi.States) bool { return states.Sessions[b.id].Wants == 1 })
	return done
}

func (b *hiding) path(name string) string { return filepath.Join(b.options.Root, b.id, name) }

func (b *hiding) nothingSecluded() {
	b.Helper()
	if _, err := os.Lstat(b.path("secluded")); !os.IsNotExist(err) {
		b.Errorf("something secluded is left: %v", err)
	}
}

func TestTheCloneOfAPrivateRepositoryIsAskedForAndSent(t *testing.T) {
	t.Parallel()
	b := newHiding(t)
	whole := packedClone(t)
	if status, text := b.send(whole); status != http.StatusNotFound {
		t.Errorf("sent for nobody: %d %s", status, text)
	}
	done := b.launching()
	if about, err := os.Stat(b.path("secluded")); err != nil || about.Mode().Perm() != 0o700 {
		t.Errorf("what is sent lies at %v, %v", about, err)
	}
	if status, text := b.send(whole[:len(whole)/2]); status != http.StatusServiceUnavailable {
		t.Errorf("half a clone: %d %s", status, text)
	}
	if status, text := b.send(whole); status != http.StatusNoContent {
		t.Fatalf("the clone: %d %s", status, text)
	}
	if last := <-done; last.Done == nil || last.Done.Commit == "" {
		t.Fatalf("the launch: %+v %+v", last.Done, last.Failed)
	}
	if text, err := os.ReadFile(b.path("work/hidden/README.md")); err != nil || string(text) != "# hidden.git\n" {
		t.Errorf("the work has %q, %v", text, err)
	}
	b.nothingSecluded()
	if status, text := b.send(whole); status != http.StatusConflict {
		t.Errorf("sent once more: %d %s", status, text)
	}
	if last := b.launch(1); last.Done == nil {
		t.Errorf("a launch whose work has the repository: %+v", last.Failed)
	}
}

func TestALaunchWhoseCloneIsNotSentFails(t *testing.T) {
	t.Parallel()
	b := newHiding(t, func(options *agent.Options) { options.CloneTime = 50 * time.Millisecond })
	last := b.launch(0)
	if last.Failed == nil || !strings.Contains(last.Failed.Reason, "wasn't sent") || last.Failed.Code != diagnosis.CloneRefused {
		t.Errorf("the launch: %+v", last)
	}
	b.nothingSecluded()
}

func TestWhatIsNoCloneFailsTheLaunch(t *testing.T) {
	t.Parallel()
	b := newHiding(t)
	done := b.launching()
	status, text := b.send([]byte(strings.Repeat("no clone", 1000)))
	var problem agentapi.Problem
	if err := json.Unmarshal([]byte(text), &problem); err != nil || status != http.StatusBadRequest {
		t.Errorf("%d %s", status, text)
	}
	if last := <-done; last.Failed == nil || last.Failed.Reason != problem.Message {
		t.Errorf("the launch: %+v", last)
	}
	b.nothingSecluded()
}
