package fake_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/fake"
)

func TestContract(t *testing.T) {
	enginetest.Run(t, func(*testing.T) *enginetest.Setup {
		var released atomic.Bool
		store := fake.NewStore(func(spec engine.Spec) fake.Outcome {
			if strings.Contains(spec.Repository.URL, "broken") {
				return fake.Outcome{Broken: "There is no such repository."}
			}
			return fake.Outcome{Ready: released.Load() || !strings.Contains(spec.Repository.URL, "slow")}
		}, nil, nil)
		repository := func(name string) engine.Repository {
			return engine.Repository{URL: "https://example.org/ann/" + name, Folder: name}
		}
		var last *fake.Engine
		return &enginetest.Setup{
			Scripted: true,
			Open: func() engine.Engine {
				last = fake.New(store)
				return last
			},
			Working: repository("working"), Broken: repository("broken"), Slow: repository("slow"),
			Dataset: engine.Dataset{Name: "Spikes", Folder: "spikes", Path: "/srv/spikes"},
			Release: func() {
				released.Store(true)
				all, _ := last.List(t.Context())
				for _, status := range all {
					store.Ready(status.ID)
				}
			},
			Put: store.Put, Link: store.Link, Delete: store.Delete, Save: store.Save,
			Exceed: func(id string) { store.SaveLimit(id, "Its files take too much.") },
			Work: func(id string, busy bool) {
				activity := engine.Activity{LastAt: time.Now(), Busy: busy}
				if busy {
					activity.Connections = 1
				}
				store.Report(id, activity, "")
			},
			Hide: store.Occupy,
			Crowd: func(id string, crowded bool) {
				warning := ""
				if crowded {
					warning = "The disk is nearly full."
				}
				store.Report(id, engine.Activity{LastAt: time.Now()}, warning)
			},
			End:     func(id string, clean bool) { store.End(id, clean, "It crashed.") },
			Request: func(id string) string { return "/s/" + id + "/api/status" },
		}
	})
}
