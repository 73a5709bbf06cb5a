package localjupyter_test

import (
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/localjupyter"
)

func TestContract(t *testing.T) {
	enginetest.Run(t, contract())
}

func contract(change ...func(*localjupyter.Options)) enginetest.Factory {
	return func(t *testing.T) *enginetest.Setup {
		b := newBench(t, append(change, func(options *localjupyter.Options) {
			options.WatchEvery, options.Limits.Disk = 50*time.Millisecond, 2<<20
			options.Versions.Every = 100 * time.Millisecond
			options.Program, options.SSH, options.VSCode = thisProgram(t), true, enginetest.InstallEditor(t)
		})...)
		return &enginetest.Setup{
			Open:    func() engine.Engine { return b.open() },
			Working: b.url("working.git"), Broken: b.url("absent.git"), Slow: b.url("slow.git"),
			Dataset: b.dataset(),
			Release: b.repositories.Release,
			Put: func(id, name, text string) {
				b.put(id, name, text)
			},
			Delete: func(id, name string) {
				if err := os.Remove(b.work(id, name)); err != nil {
					t.Error(err)
				}
			},
			Save: func(string) {},
			Exceed: func(id string) {
				if err := os.WriteFile(b.work(id, "huge"), make([]byte, 6<<20), 0o644); err != nil {
					t.Error(err)
				}
			},
			Link: func(id, name, to string) {
				if err := os.Symlink(to, b.work(id, name)); err != nil {
					t.Error(err)
				}
			},
			End:  b.end,
			Work: func(id string, busy bool) { b.occupy(id, busy, false) },
			Hide: func(id string, busy bool) { b.occupy(id, busy, true) },
			Crowd: func(id string, crowd bool) {
				name := b.work(id, "big")
				if !crowd {
					if err := os.Remove(name); err != nil {
						t.Error(err)
					}
				} else if err := os.WriteFile(name, make([]byte, 3<<20), 0o644); err != nil {
					t.Error(err)
				}
			},
			Folder:  func(id string) string { return filepath.Dir(b.work(id, "")) },
			Request: func(id string) string { return "/s/" + id + "/api/status" },
		}
	}
}

// put writes a file, in folders that belong to the session.
func (b *bench) put(id, name, text string) { enginetest.Put(b, b.work(id, ""), name, text) }

// end lets Jupyter end as its user can, or kills it.
func (b *bench) end(id string, clean bool) {
	b.Helper()
	if !clean {
		for _, pid := range processesNaming("App.base_url=/s/" + id + "/") {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return
	}
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	address := target.URL.JoinPath("/s/", id, "/api/shutdown").String()
	request, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, address, nil)
	request.Header.Set("Authorization", target.Authorization)
	response, err := target.Transport.RoundTrip(request)
	if err != nil {
		b.Fatal(err)
	}
	_ = response.Body.Close()
}

// occupy makes a kernel busy, with a tab open on it, or interrupts it.
func (b *bench) occupy(id string, busy, hidden bool) {
	b.Helper()
	if !busy {
		b.kernels[id].Interrupt()
		return
	}
	b.kernels[id] = b.kernel(id)
	b.kernels[id].Work(hidden)
}
