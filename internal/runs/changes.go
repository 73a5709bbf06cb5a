package runs

import (
	"cmp"
	"context"
	"slices"
	"strings"
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

// noteChanges records in runs, newest first, how the environment of each differs from that of the previous run of its file.
func (s *Store) noteChanges(ctx context.Context, found []Run) error {
	for i, run := range found {
		if run.Environment.Digest == "" {
			continue
		}
		before, err := s.before(ctx, run, found[i+1:])
		if err != nil {
			return err
		}
		if before == nil || before.Environment.Digest == run.Environment.Digest {
			continue
		}
		found[i].Changes = &RunChanges{
			Since: before.ID, Engine: before.Engine, Packages: packageChanges(before.Environment.versions(), run.Environment.versions()),
		}
	}
	return nil
}

// before returns the run of the same file before one whose environment is known, from older runs if it is among them; nil for none.
func (s *Store) before(ctx context.Context, run Run, older []Run) (*Run, error) {
	for i, one := range older {
		if one.File == run.File && one.State == Done && one.Environment.Digest != "" {
			return &older[i], nil
		}
	}
	return s.lastBefore(ctx, run)
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
