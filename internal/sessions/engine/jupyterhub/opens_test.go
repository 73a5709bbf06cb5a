package jupyterhub_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/realhub"
)

// TestThoroughWhatAStartHoldsOnAHub checks on a real hub what no stand-in can: git's part of it, Jupyter's, and the kernel's.
func TestThoroughWhatAStartHoldsOnAHub(t *testing.T) {
	b := newBench(t, realhub.New(t))
	bare := b.repositories.Make("refs.git", func(folder string) {
		for name, text := range map[string]string{"cairn.yml": "project:\n  name: Refs\n  open: \"docs/start #1.ipynb\"\n", "docs/start #1.ipynb": "{}"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
	b.repositories.Git("-C", bare, "tag", "v1.0")
	from := b.open()
	start := func(change func(*engine.Spec)) engine.Spec {
		spec := engine.Spec{ID: newID(), Owner: "ann@example.org", Repository: b.repositories.Repository("refs.git")}
		change(&spec)
		if err := from.Start(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
		return spec
	}
	comes := func(spec engine.Spec, phase engine.Phase) (status engine.Status) {
		b.hub.Eventually("it is "+string(phase), func() bool {
			var err error
			if status, err = from.Status(t.Context(), spec.ID); err != nil {
				t.Fatal(err)
			}
			return status.Phase == phase
		})
		return status
	}
	tagged := start(func(spec *engine.Spec) { spec.Repository.Ref = "v1.0" })
	absent := start(func(spec *engine.Spec) { spec.Repository.Ref = "absent" })
	const name = "\u0645\u0631\u062d\u0628\u0627 #1 ?%.ipynb"
	alone := start(func(spec *engine.Spec) {
		spec.Repository, spec.Notebook = engine.Repository{}, engine.Notebook{Name: name, Content: []byte("{\"cells\": []}\r\n")}
	})
	if got := comes(tagged, engine.Running); got.Opens != "refs/docs/start #1.ipynb" || got.OpenNote != "" || len(got.Commit) != 40 || got.Interface != engine.Classic {
		t.Errorf("At the tag it opens %q (%s), note %q, commit %q", got.Opens, got.Interface, got.OpenNote, got.Commit)
	}
	if got := comes(absent, engine.Failed); got.Code != diagnosis.RefUnknown {
		t.Errorf("Without the ref it fails with %q: %s", got.Code, got.Reason)
	}
	if got := comes(alone, engine.Running); got.Opens != name {
		t.Errorf("The notebook opens %q", got.Opens)
	}
	if content, err := os.ReadFile(b.hub.Work(alone.ID, name)); err != nil || string(content) != "{\"cells\": []}\r\n" {
		t.Errorf("The notebook is %q: %v", content, err)
	}
	b.put(tagged.ID, "mine.bin", strings.Repeat("x", 1<<19))
	b.hub.Eventually("what it uses is known", func() bool {
		used, err := from.Usage(t.Context(), tagged.ID)
		if err != nil {
			t.Fatal(err)
		}
		return used.DiskBytes >= 1<<19
	})
}
