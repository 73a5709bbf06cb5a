package sessions_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
)

// oneRepository is an entry with versions, of which the first one's commit isn't known.
type oneRepository struct{ address string }

func (o oneRepository) Get(context.Context, string) (catalog.Resource, error) {
	return catalog.Entry{ID: "one", Type: catalog.Repository, RepositoryURL: o.address, State: catalog.StateActive}.Resource(), nil
}

func (oneRepository) List(context.Context, string) ([]catalog.EntryVersion, error) {
	return []catalog.EntryVersion{{Number: 2, Digest: "5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed"}, {Number: 1}}, nil
}

// keptHere is a repository of this server in a folder.
type keptHere struct {
	nothingHere

	folder string
}

func (k keptHere) RepositoryPath(string) string { return k.folder }

// At a code host, a version of a repository is a commit.
func TestVersionsOfRepositoriesAreCommits(t *testing.T) {
	t.Parallel()
	entries := oneRepository{"https://gitlab.com/lab/whales"}
	resolver := &sessions.Resolver{Entries: entries, Versions: entries, Notebooks: noNotebooks{}, Sources: nothingHere{}}
	for version, want := range map[int]string{0: "", 2: "5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed"} {
		session, err := resolver.Contents(t.Context(), sessions.StartRequest{ResourceID: "one", Version: version})
		if err != nil || session.Source.Ref != want {
			t.Errorf("version %d is %q, %v", version, session.Source.Ref, err)
		}
	}
	for name, asked := range map[string]sessions.StartRequest{
		"a version whose commit isn't known": {ResourceID: "one", Version: 1},
		"a version and a branch":             {ResourceID: "one", Version: 2, Ref: "main"},
	} {
		if _, err := resolver.Contents(t.Context(), asked); fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A repository that this server keeps is copied for an engine that can't read it, and nothing is done to what is kept.
func TestKeptRepositoriesAreCopied(t *testing.T) {
	t.Parallel()
	kept, folder := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(kept, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := catalog.Kept{ID: "0190a000-0000-7000-8000-000000000001", Number: 1}.Repository("https://cairn.example", "mine")
	entries := oneRepository{address}
	resolver := &sessions.Resolver{Entries: entries, Versions: entries, Notebooks: noNotebooks{}, Sources: keptHere{folder: kept}}
	session, err := resolver.Contents(t.Context(), sessions.StartRequest{ResourceID: "one", Version: 1})
	if err != nil || session.Source.Ref != "" {
		t.Fatalf("version 1 is %+v, %v", session.Source, err)
	}
	spec, err := resolver.Spec(t.Context(), session, nil)
	if err != nil || spec.Clone == nil || spec.Repository.Private || spec.Trusted {
		t.Fatalf("the engine is asked for %+v, %v", spec, err)
	}
	path, err := spec.Clone(t.Context(), folder)
	if text, unread := os.ReadFile(filepath.Join(path, "HEAD")); err != nil || unread != nil || string(text) != "ref: refs/heads/main\n" || filepath.Dir(path) != folder {
		t.Errorf("it was copied to %q: %v %v", path, err, unread)
	}
	resolver.Sources = keptHere{}
	if spec, err = resolver.Spec(t.Context(), session, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := spec.Clone(t.Context(), folder); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a repository that isn't there any more: %v", err)
	}
}
