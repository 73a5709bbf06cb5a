package runs

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"cairn/internal/foundation/sqldb"
)

// RunChanges is how the environment of a run differs from that of the run of the same file before it.
type RunChanges struct {
	Since    string          `json:"since" format:"uuid" doc:"The run before"`
	Engine   string          `json:"engine" doc:"On which that one ran"`
	Packages []PackageChange `json:"packages" nullable:"false" doc:"Those of another version, and the language itself, by name. Empty if only something else differs, such as the machine's architecture"`
}

// PackageChange is a package of which two runs had different versions.
type PackageChange struct {
	Name   string `json:"name" doc:"As in packages, or the name of the language"`
	Before string `json:"before,omitempty" doc:"Its version in the run before; absent if it wasn't there"`
	Now    string `json:"now,omitempty" doc:"Its version in this run; absent if it isn't there"`
}

// changes returns how the environment of a run differs from that of the run of its file before; nil if it is the same, or isn't known.
func (s *Store) changes(ctx context.Context, run Run) (*RunChanges, error) {
	if run.Environment.Digest == "" {
		return nil, nil
	}
	before, err := list(ctx, s.db, `resource_id = $1 AND file = $2 AND state = $3 AND environment <> '' AND queued_at < $4 ORDER BY queued_at DESC, id DESC LIMIT 1`,
		run.ResourceID, run.File, Done, sqldb.Micros(run.QueuedAt))
	if err != nil || len(before) == 0 || before[0].Environment.Digest == "" || before[0].Environment.Digest == run.Environment.Digest {
		return nil, err
	}
	return &RunChanges{
		Since: before[0].ID, Engine: before[0].Engine, Packages: packageChanges(before[0].Environment.versions(), run.Environment.versions()),
	}, nil
}

// versions returns the versions of the language and its packages, by name.
func (e RunEnvironment) versions() map[string]string {
	found := map[string]string{cmp.Or(e.Language, "Python"): cmp.Or(e.Python, e.Version)}
	for _, one := range e.Packages {
		name, version, _ := strings.Cut(one, "==")
		found[name] = version
	}
	return found
}

func packageChanges(before, now map[string]string) []PackageChange {
	found := []PackageChange{}
	for name, version := range now {
		if before[name] != version {
			found = append(found, PackageChange{Name: name, Before: before[name], Now: version})
		}
	}
	for name, version := range before {
		if _, kept := now[name]; !kept {
			found = append(found, PackageChange{Name: name, Before: version})
		}
	}
	slices.SortFunc(found, func(one, other PackageChange) int {
		return cmp.Compare(strings.ToLower(one.Name), strings.ToLower(other.Name))
	})
	return found
}
