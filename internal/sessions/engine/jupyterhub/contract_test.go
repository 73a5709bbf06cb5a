package jupyterhub_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/jupyterhub"
	"cairn/internal/sessions/engine/jupyterhub/agent"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
	"cairn/internal/sessions/engine/jupyterhub/realhub"
	"cairn/internal/sessions/files/history"
)

// TestMain lets more tests run at once than there are processors: what they do most is wait for hubs.
func TestMain(m *testing.M) {
	realhub.BeAgent()
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// bench is an engine on a hub, and the repositories around it.
type bench struct {
	*testing.T

	hub          *realhub.Hub
	options      jupyterhub.Options
	engine       *jupyterhub.Engine
	repositories *enginetest.Repositories
}

func newBench(t *testing.T, on *realhub.Hub) *bench {
	t.Helper()
	b := &bench{T: t, hub: on, repositories: enginetest.ServeRepositories(t, t.TempDir())}
	b.repositories.Make("working.git", nil)
	b.repositories.Make("slow.git", nil)
	b.options = jupyterhub.Options{
		URL: on.URL(), Token: hubToken, Catalog: t.Name(), DataRoot: filepath.Join(on.Folder, "data"), Records: engine.NewMemory(),
		Limits: jupyterhub.Limits{Memory: boundedMemory}, WatchEvery: 100 * time.Millisecond, ActivityEvery: 100 * time.Millisecond, Lease: time.Second,
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
		if _, err := os.Stat(filepath.Join(b.hub.Folder, "root", status.ID)); !os.IsNotExist(err) {
			b.Errorf("the folder of %s is left: %v", status.ID, err)
		}
		if left := realhub.ProcessesNaming(status.ID); len(left) > 0 {
			b.Errorf("processes of %s are left: %v", status.ID, left)
		}
	}
	if err := b.engine.Close(); err != nil {
		b.Error(err)
	}
}

func (b *bench) dataset() engine.Dataset {
	return engine.Dataset{Name: "Spikes", Folder: "spikes", Path: filepath.Join(b.hub.Folder, "data", "spikes")}
}

func base(id string) string { return "/user/ann@example.org/" + engine.ServerName(id) + "/" }

func (b *bench) put(id, name, text string) {
	b.Helper()
	enginetest.Put(b, b.work(id, ""), name, text)
}

// work is a path in the work folder of a session of a person or of a program.
func (b *bench) work(id, name string) string {
	if batch := filepath.Join(b.hub.Folder, "root", ".runs", id, "work", name); exists(filepath.Dir(batch)) {
		return batch
	}
	return b.hub.Work(id, name)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// end lets Jupyter end as its user can, or kills it.
func (b *bench) end(id string, clean bool) {
	b.Helper()
	if !clean {
		for _, pid := range realhub.ProcessesNaming("/usr/bin/python3\x00/session/server.py") {
			environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			if bytes.HasPrefix(command, []byte("/usr/bin/python3")) && bytes.Contains(environment, []byte("JUPYTERHUB_SERVER_NAME="+engine.ServerName(id))) {
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

// kernels are those that work, by session.
type kernels map[string]*enginetest.Kernel

// occupy makes a kernel busy, with a tab open on it, or interrupts it.
func (k kernels) occupy(t *testing.T, from engine.Engine, id string, busy, hidden bool) {
	t.Helper()
	if !busy {
		k[id].Interrupt()
		return
	}
	target, err := from.Target(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	k[id] = enginetest.OpenKernel(t, target, base(id))
	k[id].Work(hidden)
}

// TestContract runs the whole suite on stand-ins of a hub, with the rules of JupyterHub 6, and of Jupyter.
func TestContract(t *testing.T) { contract(t, (*hubtest.Hub).Upgrade) }

// TestThoroughContractOnAnOlderHub runs it with the rules of the versions before.
func TestThoroughContractOnAnOlderHub(t *testing.T) { contract(t, func(*hubtest.Hub) {}) }

func contract(t *testing.T, prepare func(*hubtest.Hub)) {
	t.Helper()
	enginetest.Run(t, func(t *testing.T) *enginetest.Setup {
		folder := t.TempDir()
		released := make(chan struct{})
		machine := &hubtest.Machine{Folder: filepath.Join(folder, "root"), Clone: func(ctx context.Context, address, to string) error {
			switch filepath.Base(address) {
			case "broken":
				return errors.New("it is not there")
			case "slow":
				select {
				case <-released:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return os.CopyFS(to, fstest.MapFS{"README.md": {Data: []byte("# It works")}})
		}}
		s := newStandIn(t, 0, func(s *standIn) {
			s.options.DataRoot, s.hub.Machine = folder, machine
			s.hub.Agent = openAgent(t, machine.Folder).Handler()
			prepare(s.hub)
		})
		t.Cleanup(s.removeAll)
		repository := func(name string) engine.Repository {
			return engine.Repository{URL: "https://example.org/ann/" + name, Folder: name}
		}
		work := func(id, name string) string { return filepath.Join(machine.Work(id), name) }
		at := kernels{}
		return &enginetest.Setup{
			Open: func() engine.Engine {
				s.engine.Abandon()
				s.engine = s.open(s.options)
				return s.engine
			},
			Working: repository("working"), Broken: repository("broken"), Slow: repository("slow"),
			Dataset: engine.Dataset{Name: "Spikes", Folder: "spikes", Path: filepath.Join(folder, "spikes")},
			Release: sync.OnceFunc(func() { close(released) }),
			Put:     func(id, name, text string) { enginetest.Put(t, work(id, ""), name, text) },
			Delete: func(id, name string) {
				if err := os.Remove(work(id, name)); err != nil {
					t.Error(err)
				}
			},
			Save: func(string) {},
			Exceed: func(id string) {
				s.hub.Evict(id, "The session was stopped because its files take too much.", string(diagnosis.TooLarge))
			},
			Link: func(id, name, to string) {
				if err := os.Symlink(to, work(id, name)); err != nil {
					t.Error(err)
				}
			},
			End: func(id string, clean bool) {
				if !clean {
					s.hub.End(id, 137)
					return
				}
				target, err := s.engine.Target(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				enginetest.Call(t, target, http.MethodPost, base(id)+"api/shutdown")
			},
			Work: func(id string, busy bool) { at.occupy(t, s.engine, id, busy, false) },
			Hide: func(id string, busy bool) { at.occupy(t, s.engine, id, busy, true) },
			Crowd: func(id string, crowded bool) {
				warning := ""
				if crowded {
					warning = "The files of this session take too much."
				}
				s.hub.Warn(id, warning)
			},
			Folder:  func(id string) string { return filepath.Dir(machine.Work(id)) },
			Request: func(id string) string { return base(id) + "api/status" },
		}
	})
}

// openAgent opens an agent that saves soon.
func openAgent(t *testing.T, root string) *agent.Agent {
	t.Helper()
	opened, err := agent.New(agent.Options{
		Root: root, Token: hubToken, Release: "1", NoRuns: true, Interval: 50 * time.Millisecond, Versions: history.Versions{Every: 100 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	return opened
}

// removeAll removes all sessions and makes sure that nothing of them is left.
func (s *standIn) removeAll() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	last := s.open(s.options) // the engines of the test are closed
	all, err := last.List(ctx)
	if err != nil {
		s.Error(err)
	}
	for _, one := range all {
		if err := last.Remove(ctx, one.ID); err != nil {
			s.Error(err)
		}
		if _, err := os.Stat(s.hub.Machine.Work(one.ID)); !os.IsNotExist(err) {
			s.Errorf("the folder of %s is left: %v", one.ID, err)
		}
	}
	left, err := os.ReadDir(s.hub.Machine.Folder)
	if err != nil {
		s.Error(err)
	}
	for _, one := range left {
		if engine.IsSessionID(one.Name()) {
			s.Errorf("the folder of %s is left, which no session has", one.Name())
		}
	}
	if s.hub.Active() != 0 || s.hub.Tokens() != 0 {
		s.Errorf("%d servers and %d tokens are left", s.hub.Active(), s.hub.Tokens())
	}
}

// TestThoroughContractOnHub runs the whole suite on one real hub.
func TestThoroughContractOnHub(t *testing.T) {
	h, editor := realhub.New(t), enginetest.InstallEditor(t)
	enginetest.Run(t, func(t *testing.T) *enginetest.Setup {
		b, at := newBench(t, h), kernels{}
		b.options.VSCode, b.options.SSH = editor, true
		return &enginetest.Setup{
			Open:    func() engine.Engine { return b.open() },
			Working: b.repositories.Repository("working.git"), Broken: b.repositories.Repository("absent.git"),
			Slow:    b.repositories.Repository("slow.git"),
			Dataset: b.dataset(),
			Release: b.repositories.Release,
			Put:     b.put,
			Delete: func(id, name string) {
				if err := os.Remove(b.work(id, name)); err != nil {
					t.Error(err)
				}
			},
			Save:   func(string) {},
			Exceed: func(id string) { b.put(id, "huge", string(make([]byte, 6<<20))) },
			Link: func(id, name, to string) {
				if err := os.Symlink(to, b.work(id, name)); err != nil {
					t.Error(err)
				}
			},
			End:  b.end,
			Work: func(id string, busy bool) { at.occupy(t, b.engine, id, busy, false) },
			Hide: func(id string, busy bool) { at.occupy(t, b.engine, id, busy, true) },
			Crowd: func(id string, crowd bool) {
				if !crowd {
					if err := os.Remove(b.hub.Work(id, "big")); err != nil {
						t.Error(err)
					}
					return
				}
				b.put(id, "big", string(make([]byte, 3<<20)))
			},
			Folder:  func(id string) string { return filepath.Dir(b.hub.Work(id, "")) },
			Request: func(id string) string { return base(id) + "api/status" },
		}
	})
}
