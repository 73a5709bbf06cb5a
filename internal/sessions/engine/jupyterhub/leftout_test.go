package jupyterhub_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
	"cairn/internal/sessions/engine/jupyterhub/realhub"
)

// asking are files of a repository that asks for what hubs don't install.
var asking = map[string]string{"requirements.txt": "numpy>=1.20\n", "binder/apt.txt": "", "apt.txt": "graphviz\n"}

// wanted are the names of what the files of asking lead to.
const wanted = "numpy>=1.20, graphviz (apt)"

func names(left []engine.LeftOut) string {
	var all []string
	for _, one := range left {
		all = append(all, one.What)
	}
	return strings.Join(all, ", ")
}

func TestWhatARepositoryAsksForIsLeftOut(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"hook of today": wanted, "hook of before": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStandIn(t, 0, func(s *standIn) {
				s.hub.Machine = &hubtest.Machine{Folder: filepath.Join(t.TempDir(), "root"), Clone: func(_ context.Context, _, to string) error {
					files := fstest.MapFS{}
					for name, text := range asking {
						files[name] = &fstest.MapFile{Data: []byte(text)}
					}
					return os.CopyFS(to, files)
				}}
				if want == "" {
					s.hub.Silence()
				}
			})
			t.Cleanup(s.removeAll)
			spec := s.start("ann@example.org")
			var status engine.Status
			s.eventually("it runs", func() bool {
				var err error
				if status, err = s.engine.Status(t.Context(), spec.ID); err != nil {
					t.Fatal(err)
				}
				return status.Phase == engine.Running
			})
			if got := names(status.LeftOut); got != want {
				t.Errorf("left out: %s, not %s", got, want)
			}
			for _, one := range status.LeftOut {
				if one.Why == "" {
					t.Errorf("%s is left out without a reason", one.What)
				}
			}
		})
	}
}

func TestThoroughWhatARepositoryAsksForIsLeftOutOnAHub(t *testing.T) {
	h := realhub.New(t, "CAIRN_ENVIRONMENTS=off")
	b := newBench(t, h)
	b.repositories.Make("asking.git", func(folder string) {
		for name, text := range asking {
			path := filepath.Join(folder, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
	from := b.open()
	spec := engine.Spec{ID: newID(), Owner: "ann@example.org", Repository: b.repositories.Repository("asking.git")}
	if err := from.Start(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	var status engine.Status
	h.Eventually("it runs", func() bool {
		var err error
		if status, err = from.Status(t.Context(), spec.ID); err != nil {
			t.Fatal(err)
		}
		if status.Phase == engine.Failed {
			t.Fatal(status.Reason, status.Log)
		}
		return status.Phase == engine.Running
	})
	if got := names(status.LeftOut); got != wanted {
		t.Errorf("left out: %s, not %s", got, wanted)
	}
}
