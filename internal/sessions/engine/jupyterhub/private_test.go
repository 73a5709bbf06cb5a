package jupyterhub_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
)

// startPrivate starts a session of a private repository.
func (s *standIn) startPrivate(clone engine.Cloner) engine.Spec {
	s.Helper()
	spec := engine.Spec{
		ID: newID(), Owner: "ann@example.org", Clone: clone,
		Repository: engine.Repository{URL: "https://hidden.invalid/ann/hidden", Folder: "hidden", Private: true},
	}
	if err := s.engine.Start(s.Context(), spec); err != nil {
		s.Fatal(err)
	}
	return spec
}

// failure waits for a session to fail.
func (s *standIn) failure(id string) (status engine.Status) {
	s.Helper()
	s.eventually("it fails", func() (failed bool) {
		var err error
		status, err = s.engine.Status(s.Context(), id)
		return err == nil && status.Phase == engine.Failed
	})
	return status
}

// A hub whose agent would take a private repository for a public one gets no launch of it.
func TestHubsThatCannotHavePrivateRepositoriesRefuseThem(t *testing.T) {
	t.Parallel()
	for what, answer := range map[string]http.HandlerFunc{
		"the release before": nil,
		"an older agent": func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/states") {
				select {
				case <-time.After(20 * time.Millisecond):
				case <-r.Context().Done():
				}
				_ = json.NewEncoder(w).Encode(agentapi.States{Epoch: "1"})
				return
			}
			_ = json.NewEncoder(w).Encode(agentapi.About{Protocol: agentapi.Protocol, Release: "1"})
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newStandIn(t, 0, func(s *standIn) {
				if answer != nil {
					s.hub.Agent = answer
				}
			})
			spec := s.startPrivate(func(context.Context, string) (string, error) {
				t.Error("the repository is read")
				return "", context.Canceled
			})
			if status := s.failure(spec.ID); !strings.Contains(status.Reason, "private repositories can't run on this hub") || status.Code != diagnosis.ServerFault {
				t.Errorf("it failed with %+v", status)
			}
			if calls, _ := s.hub.Calls(); calls["POST users servers"] != 0 {
				t.Errorf("the hub was asked: %v", calls)
			}
		})
	}
}

// newPrivate is an engine on a hub that has private repositories, which are read in a folder of the test.
func newPrivate(t *testing.T) *standIn {
	t.Helper()
	return newStandIn(t, 0, func(s *standIn) {
		s.hub.Machine = &hubtest.Machine{Folder: t.TempDir(), Clone: emptyClone}
		s.hub.Agent = openAgent(t, s.hub.Machine.Folder).Handler()
		s.options.Temporary = t.TempDir()
	})
}

// A stop while the repository is read ends that, and leaves nothing of it.
func TestReadingAPrivateRepositoryEndsWithItsLaunch(t *testing.T) {
	t.Parallel()
	s := newPrivate(t)
	begun := make(chan string, 1)
	spec := s.startPrivate(func(ctx context.Context, folder string) (string, error) {
		if about, err := os.Stat(folder); err != nil || about.Mode().Perm() != 0o700 {
			t.Errorf("it is read in %v, %v", about, err)
		}
		begun <- folder
		<-ctx.Done()
		return "", ctx.Err()
	})
	folder := <-begun
	if err := s.engine.Stop(t.Context(), spec.ID); err != nil {
		t.Fatal(err)
	}
	s.eventually("its folder is removed", func() bool { return !exists(folder) })
	if status, err := s.engine.Status(t.Context(), spec.ID); err != nil || status.Phase != engine.Ended {
		t.Errorf("it is %+v, %v", status, err)
	}
	if left, err := os.ReadDir(s.options.Temporary); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	s.eventually("nothing is left on the hub", func() bool { return !exists(s.hub.Machine.Folder + "/" + spec.ID + "/secluded") })
}

// A server that takes over from another one can't read what only that could. It says so, and the next start reads it.
func TestAServerThatTakesOverCannotReadAPrivateRepository(t *testing.T) {
	t.Parallel()
	s := newPrivate(t)
	begun := make(chan struct{})
	spec := s.startPrivate(func(ctx context.Context, _ string) (string, error) {
		close(begun)
		<-ctx.Done()
		return "", ctx.Err()
	})
	<-begun
	s.engine.Abandon()
	s.engine = s.open(s.options)
	if status := s.failure(spec.ID); !strings.Contains(status.Reason, "has to be read again") {
		t.Errorf("it failed with %+v", status)
	}
}

// A repository that this server keeps is sent to hubs that take it, because they may not be able to read it. Others clone it by its address.
func TestKeptRepositoriesAreSent(t *testing.T) {
	t.Parallel()
	kept := func(s *standIn, clone engine.Cloner) engine.Spec {
		spec := engine.Spec{
			ID: newID(), Owner: "ann@example.org", Clone: clone,
			Repository: engine.Repository{URL: "https://cairn.invalid/kept/mine.git", LocalPath: "/srv/mine.git", Folder: "mine"},
		}
		if err := s.engine.Start(s.Context(), spec); err != nil {
			s.Fatal(err)
		}
		return spec
	}
	s := newPrivate(t)
	refused := fault.New(fault.Unavailable, "It was asked for.")
	spec := kept(s, func(context.Context, string) (string, error) { return "", refused })
	if status := s.failure(spec.ID); !strings.Contains(status.Reason, refused.Message) {
		t.Errorf("it failed with %+v", status)
	}

	s = newStandIn(t, 0, func(*standIn) {})
	kept(s, func(context.Context, string) (string, error) {
		t.Error("the repository is sent")
		return "", context.Canceled
	})
	s.eventually("the hub is asked for the server", func() bool {
		calls, _ := s.hub.Calls()
		return calls["POST users servers"] > 0
	})
}
