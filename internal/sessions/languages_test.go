package sessions_test

import (
	"context"
	"slices"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/sizes"
)

// speaksR is an engine whose sessions have a kernel of R, too.
type speaksR struct{ engine.Engine }

func (speaksR) Kernels(context.Context) []engine.Kernel {
	return []engine.Kernel{engine.Python, {Name: "ir", Language: "R", Label: "R"}}
}

// Whoever chooses an engine for a notebook in R sees where it doesn't run, and it starts where it does.
func TestEnginesOfferedForANotebookInR(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.AddEntries(catalog.Entry{ExternalID: "in R", Type: catalog.Notebook, NotebookPath: "https://example.org/r.ipynb"})
	first := w.Options.Engines.All[0]
	second := first
	second.Name, second.Engine = "statistics", speaksR{first.Engine}
	w.Options.Engines.All = slices.Concat(w.Options.Engines.All, []sizes.Engine{second})
	w.Server = w.Open(w.Options)
	for entry, fits := range map[string][]bool{"in R": {false, true}, "tools": {true, true}} {
		found, err := w.Server.Profiles(w.As(w.Ann), w.ID(entry), "")
		sessionstest.Check(t, err)
		if len(found) != 2 {
			t.Fatalf("the engines are %+v", found)
		}
		for i, one := range found {
			if refused := one.RunCode == fault.LanguageMissing && one.RunNote != ""; one.Fits != fits[i] || refused == fits[i] {
				t.Errorf("%s on %s: %+v", entry, one.Engine, one)
			}
		}
	}
	session, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{ResourceID: w.ID("in R")})
	sessionstest.Check(t, err)
	if session.Engine != "statistics" {
		t.Errorf("it starts on %s", session.Engine)
	}
}
