package jupyterhub_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/jupyterhub"
)

// TestMain lets more tests run at once than there are processors: what they do most is wait for hubs.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// bench is an engine on a hub, and the repositories around it.
type bench struct {
	*testing.T

	hub          *hub
	options      jupyterhub.Options
	engine       *jupyterhub.Engine
	repositories *enginetest.Repositories
	kernels      map[string]*enginetest.Kernel
}

func newBench(t *testing.T, on *hub) *bench {
	t.Helper()
	b := &bench{T: t, hub: on, repositories: enginetest.ServeRepositories(t, t.TempDir()), kernels: map[string]*enginetest.Kernel{}}
	b.repositories.Make("working.git", nil)
	b.repositories.Make("slow.git", nil)
	b.options = jupyterhub.Options{
		URL: on.url(), Token: hubToken, DataRoot: filepath.Join(on.folder, "data"), Records: engine.NewMemory(),
		WatchEvery: 100 * time.Millisecond, ActivityEvery: 100 * time.Millisecond, Lease: time.Second,
	}
	t.Cleanup(b.leave)
	return b
}

func (b *bench) open() *jupyterhub.Engine {
	b.Helper()
	if b.engine != nil {
		b.engine.Abandon()
	}
	opened, err := jupyterhub.New(b.options)
	if err != nil {
		b.Fatal(err)
	}
	b.engine = opened
	return opened
}

// leave removes everything and makes sure that nothing is left.
func (b *bench) leave() {
	b.repositories.Release()
	if b.engine == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	all, err := b.engine.List(ctx)
	if err != nil {
		b.Error(err)
	}
	for _, status := range all {
		if err := b.engine.Remove(ctx, status.ID); err != nil {
			b.Error(err)
		}
		if _, err := os.Stat(filepath.Join(b.hub.folder, "root", status.ID)); !os.IsNotExist(err) {
			b.Errorf("the folder of %s is left: %v", status.ID, err)
		}
		if left := processesNaming(status.ID); len(left) > 0 {
			b.Errorf("processes of %s are left: %v", status.ID, left)
		}
	}
	if err := b.engine.Close(); err != nil {
		b.Error(err)
	}
}

func base(id string) string { return "/user/ann@example.org/" + id + "/" }

func (b *bench) put(id, name, text string) {
	b.Helper()
	if err := os.WriteFile(b.hub.work(id, name), []byte(text), 0o644); err != nil {
		b.Error(err)
	}
}

// end lets Jupyter end as its user can, or kills it.
func (b *bench) end(id string, clean bool) {
	b.Helper()
	if !clean {
		for _, pid := range processesNaming("/usr/bin/python3\x00/session/server.py") {
			environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			if bytes.HasPrefix(command, []byte("/usr/bin/python3")) && bytes.Contains(environment, []byte("JUPYTERHUB_SERVER_NAME="+id)) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		return
	}
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	enginetest.Call(b, target, http.MethodPost, base(id)+"api/shutdown")
}

// occupy lets a kernel work until it is told to end, with a tab on it meanwhile.
func (b *bench) occupy(id string, busy, hidden bool) {
	b.Helper()
	if !busy {
		b.kernels[id].Interrupt()
		return
	}
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	b.kernels[id] = enginetest.OpenKernel(b, target, base(id))
	b.kernels[id].Work(hidden)
}

// TestContract runs the whole suite on one real hub, and beside it what else needs no hub of its own.
func TestContract(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	t.Run("the hook refuses what leads astray", func(t *testing.T) {
		t.Parallel()
		newBench(t, h).refusesWhatLeadsAstray()
	})
	t.Run("the stand-in of other tests and of the benchmark answers as the hub does", func(t *testing.T) {
		t.Parallel()
		compareHubs(t, h, newBench(t, h).repositories.Repository("working.git"), newStandIn(t, 2*time.Second).options.URL)
	})
	enginetest.Run(t, func(t *testing.T) *enginetest.Setup {
		b := newBench(t, h)
		return &enginetest.Setup{
			Open:    func() engine.Engine { return b.open() },
			Working: b.repositories.Repository("working.git"), Broken: b.repositories.Repository("absent.git"),
			Slow:    b.repositories.Repository("slow.git"),
			Dataset: engine.Dataset{Name: "Spikes", Folder: "spikes", Path: filepath.Join(h.folder, "data", "spikes")},
			Release: b.repositories.Release,
			Put:     b.put,
			Link: func(id, name, to string) {
				if err := os.Symlink(to, b.hub.work(id, name)); err != nil {
					t.Error(err)
				}
			},
			End:  b.end,
			Work: func(id string, busy bool) { b.occupy(id, busy, false) },
			Hide: func(id string, busy bool) { b.occupy(id, busy, true) },
			Crowd: func(id string, crowd bool) {
				if !crowd {
					if err := os.Remove(b.hub.work(id, "big")); err != nil {
						t.Error(err)
					}
					return
				}
				b.put(id, "big", string(make([]byte, 3<<20)))
			},
			Request: func(id string) string { return base(id) + "api/status" },
		}
	})
}
