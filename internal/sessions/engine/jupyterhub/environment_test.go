package jupyterhub_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
	"cairn/internal/sessions/engine/jupyterhub/realhub"
)

func TestAHubInstallsWhatARepositoryAsksFor(t *testing.T) {
	t.Parallel()
	var installed []string
	s := newStandIn(t, 0, func(s *standIn) {
		s.hub.Machine = &hubtest.Machine{
			Folder: filepath.Join(t.TempDir(), "root"),
			Clone: func(_ context.Context, _, to string) error {
				return os.CopyFS(to, fstest.MapFS{
					"requirements.txt": &fstest.MapFile{Data: []byte("numpy>=1.20\nabsent\n")}, "apt.txt": &fstest.MapFile{Data: []byte("graphviz\n")},
				})
			},
			Install: func(_ context.Context, packages []string) (map[string]string, string) {
				installed = packages
				return map[string]string{"absent": "The package index has no version that fits."}, ""
			},
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
	if !slices.Equal(installed, []string{"numpy>=1.20", "absent"}) {
		t.Errorf("the hub is told to install %q", installed)
	}
	if got := names(status.LeftOut); got != "graphviz (apt), absent" {
		t.Errorf("left out: %s", got)
	}
	if !slices.ContainsFunc(status.Steps, func(step engine.Step) bool { return step.Name == engine.StepEnvironment && step.State == engine.Done }) {
		t.Errorf("there is no step that installs: %+v", status.Steps)
	}
	read := func(name string) (string, error) { return map[string]string{"requirements.txt": "numpy\n"}[name], nil }
	s.eventually("it is planned", func() bool {
		planned, err := s.engine.PlanEnvironment(read)
		return err == nil && slices.Equal(planned.Packages, []string{"numpy"}) && len(planned.LeftOut) == 0
	})
}

func TestAHubIsNotAskedForVersionsThatExcludeEachOther(t *testing.T) {
	t.Parallel()
	s := newStandIn(t, 0, func(s *standIn) {
		s.hub.Machine = &hubtest.Machine{
			Folder: filepath.Join(t.TempDir(), "root"),
			Clone: func(_ context.Context, _, to string) error {
				return os.CopyFS(to, fstest.MapFS{"environment.yml": &fstest.MapFile{Data: []byte("dependencies:\n  - pip:\n    - six==1.15.0\n    - six==1.16.0\n")}})
			},
			Install: func(context.Context, []string) (map[string]string, string) {
				t.Error("the hub installs something")
				return nil, ""
			},
		}
	})
	t.Cleanup(s.removeAll)
	spec := s.start("ann@example.org")
	var status engine.Status
	s.eventually("it fails", func() bool {
		var err error
		if status, err = s.engine.Status(t.Context(), spec.ID); err != nil {
			t.Fatal(err)
		}
		return status.Phase == engine.Failed
	})
	if status.Code != diagnosis.VersionConflict || !strings.Contains(status.Reason, "line 4 of environment.yml") {
		t.Errorf("it failed with %q: %s", status.Code, status.Reason)
	}
}

// serveWheel serves an index with one package, which has one module, and counts the downloads.
func serveWheel(t *testing.T, name string) (address string, downloads func() int) {
	t.Helper()
	var wheel bytes.Buffer
	archive, record := zip.NewWriter(&wheel), ""
	about := name + "-1.0.dist-info/"
	for _, file := range [][2]string{
		{name + ".py", "answer = 42\n"},
		{about + "METADATA", "Metadata-Version: 2.1\nName: " + name + "\nVersion: 1.0\n"},
		{about + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{about + "RECORD", ""},
	} {
		record += file[0] + ",,\n"
		if file[1] == "" {
			file[1] = record
		}
		entry, err := archive.Create(file[0])
		if err == nil {
			_, err = entry.Write([]byte(file[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	count := 0
	file := name + "-1.0-py3-none-any.whl"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/simple/" + name + "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, "<!DOCTYPE html><a href=%q>%s</a>", file, file)
		case "/simple/" + name + "/" + file:
			mu.Lock()
			count++
			mu.Unlock()
			_, _ = w.Write(wheel.Bytes())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/simple/", func() int { mu.Lock(); defer mu.Unlock(); return count }
}

func TestThoroughAHubInstallsPackagesOnce(t *testing.T) {
	index, downloads := serveWheel(t, "firefly")
	b := newBench(t, realhub.New(t, "CAIRN_PIP_INDEX_URL="+index, "CAIRN_DISK=1073741824"))
	b.repositories.Make("asking.git", func(folder string) {
		if err := os.WriteFile(filepath.Join(folder, "requirements.txt"), []byte("firefly\nabsent\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	})
	from := b.open()
	first := 0
	for i := range 2 {
		spec := engine.Spec{ID: newID(), Owner: "ann@example.org", Repository: b.repositories.Repository("asking.git")}
		if err := from.Start(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
		var status engine.Status
		b.hub.Eventually("it runs", func() bool {
			var err error
			if status, err = from.Status(t.Context(), spec.ID); err != nil {
				t.Fatal(err)
			}
			if status.Phase == engine.Failed {
				t.Fatal(status.Reason, status.Log)
			}
			return status.Phase == engine.Running
		})
		if got := names(status.LeftOut); got != "absent" {
			t.Errorf("left out: %s", got)
		}
		kernel, err := os.ReadFile(filepath.Join(b.hub.Folder, "root", spec.ID, "jupyter/kernels/python3/kernel.json"))
		if err != nil || !strings.Contains(string(kernel), "/session/environments/") {
			t.Errorf("the kernel is %s: %v", kernel, err)
		}
		if i == 0 {
			first = downloads()
		}
	}
	if got := downloads(); got != first || first == 0 {
		t.Errorf("the package was downloaded %d times by the first start, and %d times by both", first, got)
	}
}
