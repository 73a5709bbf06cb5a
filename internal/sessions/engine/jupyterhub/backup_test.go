package jupyterhub_test

import (
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub"
	"cairn/internal/sessions/engine/jupyterhub/agent"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
)

// The versions of a hub are copied while its agent works, and another agent begins with them.
func TestVersionsOfAHubMoveToAnother(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := newStandIn(t, 0, func(s *standIn) {
		s.hub.Machine = &hubtest.Machine{Folder: root, Clone: emptyClone}
		s.hub.Agent = openAgent(t, root).Handler()
	})
	spec := s.start("ann@example.org")
	s.eventually("it runs", func() bool { return s.phases()[engine.Running] == 1 })
	if err := os.WriteFile(filepath.Join(root, spec.ID, "work", "mine.txt"), []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	made, err := s.engine.SaveVersion(t.Context(), spec.ID, "Kept")
	if err != nil {
		t.Fatal(err)
	}

	histories, err := jupyterhub.OpenHistories(s.options.URL, hubToken)
	if err != nil {
		t.Fatal(err)
	}
	folder, bytes, owners, err := histories.List(t.Context())
	if err != nil || folder != filepath.Join(root, ".versions") || bytes == 0 || len(owners) != 1 {
		t.Fatalf("%s %d %v %v", folder, bytes, owners, err)
	}
	moved := t.TempDir()
	store := filepath.Join(moved, ".versions", owners[0])
	if err := os.MkdirAll(store, 0o700); err != nil {
		t.Fatal(err)
	}
	err = histories.Copy(t.Context(), owners[0], func(name string, content io.Reader) error {
		text, err := io.ReadAll(content)
		if err == nil {
			err = os.WriteFile(filepath.Join(store, name), text, 0o600)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	record, err := histories.Record(t.Context(), spec.ID)
	if err == nil {
		err = os.MkdirAll(filepath.Join(moved, spec.ID), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(moved, spec.ID, jupyterhub.RecordName), record, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := histories.Record(t.Context(), newID()); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the record of a session that isn't there: %v", err)
	}
	if err := histories.Copy(t.Context(), "../"+owners[0], nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("versions outside the folder: %v", err)
	}

	another, err := agent.New(agent.Options{Root: moved, Token: hubToken, NoRuns: true, Interval: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = another.Close() })
	opened, err := another.OpenVersion(t.Context(), spec.ID, made.ID, "mine.txt")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(opened)
	if err != nil || string(text) != "precious" || opened.Close() != nil {
		t.Errorf("it has %q, %v", text, err)
	}
}

// A hub of an earlier release, or none, has no versions to back up, and says so.
func TestAHubWithoutAnAgentHasNoVersions(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(hubtest.New(hubToken, 0))
	t.Cleanup(server.Close)
	for token, want := range map[string]string{hubToken: "no agent of this release", "wrong": "isn't responding (403)"} {
		histories, err := jupyterhub.OpenHistories(server.URL, token)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := histories.List(t.Context()); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("with %q: %v", token, err)
		}
	}
}
