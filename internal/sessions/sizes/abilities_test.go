package sizes_test

import (
	"slices"
	"testing"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// An engine can what its interfaces say, unless it says itself that something isn't there.
func TestAbilities(t *testing.T) {
	t.Parallel()
	type plain struct{ engine.Engine }
	for name, one := range map[string]struct {
		engine engine.Engine
		want   []sizes.Ability
	}{
		"nothing but sessions": {plain{}, []sizes.Ability{sizes.Archives, sizes.Datasets}},
		"versions":             {struct{ engine.Versioner }{}, []sizes.Ability{sizes.Archives, sizes.Datasets, sizes.Undelete, sizes.Versions, sizes.WarmSessions}},
		"a hub of before":      {hub{}, []sizes.Ability{sizes.Archives, sizes.Datasets, sizes.UsageKnown}},
		"a hub with an agent":  {hub{able: true}, []sizes.Ability{sizes.Archives, sizes.Datasets, sizes.Environments, sizes.Runs, sizes.Undelete, sizes.UsageKnown, sizes.Versions, sizes.WarmSessions}},
	} {
		got := sizes.Engine{Engine: one.engine}.Can()
		if !slices.Equal(got, one.want) || !slices.IsSorted(got) {
			t.Errorf("%s: %v, want %v", name, got, one.want)
		}
	}
}

// hub can what its agent can.
type hub struct {
	hubParts

	able bool
}

type hubParts interface {
	engine.Versioner
	engine.Runner
	engine.EnvironmentPlanner
}

func (h hub) KeepsVersions() bool     { return h.able }
func (h hub) RunsBatches() bool       { return h.able }
func (h hub) MakesEnvironments() bool { return h.able }
