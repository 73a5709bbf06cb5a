package requirements

import (
	"slices"
	"strings"

	version "github.com/aquasecurity/go-pep440-version"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
)

// Contradiction says which two places ask for versions of a package that exclude each other; nil if none do. No index has to be
// asked for that.
func (r *Requirements) Contradiction() error { return r.contradiction }

// findContradiction compares what is asked of each package, in one of the two lists: what pip is asked for takes the place of what
// conda is.
func findContradiction(packages []Package) error {
	before := map[string][]Package{}
	for _, one := range packages {
		if one.IsPython() || strings.Contains(one.Line, ";") {
			continue // another system may be meant
		}
		name := canonical(one.Name)
		for _, other := range before[name] {
			if exclusive([]string{conditionOf(other), conditionOf(one)}) {
				return diagnosis.With(fault.New(fault.Unavailable, "The repository asks for two versions of %s that exclude each other: %s in %s, and %s in %s.",
					one.Name, other, other.Place, one, one.Place), diagnosis.VersionConflict)
			}
		}
		before[name] = append(before[name], one)
	}
	return nil
}

// conditionOf returns the versions that a package is asked for in, such as >=1,<2; "" for any.
func conditionOf(one Package) string {
	line, _, _ := strings.Cut(one.Line, " ")
	_, extras, _ := strings.Cut(line, "]")
	if extras != "" || strings.HasSuffix(line, "]") {
		return extras
	}
	return strings.TrimPrefix(line, one.Name)
}

// exclusive reports whether no version meets all conditions. It tries those that are named and the ones right after them; where that
// doesn't settle it, as between two versions before a release, it's left to pip.
func exclusive(conditions []string) bool {
	var all []version.Specifiers
	var tried []string
	for _, condition := range conditions {
		if condition == "" {
			return false
		}
		parsed, err := version.NewSpecifiers(condition, version.WithPreRelease(true))
		if err != nil {
			return false
		}
		all = append(all, parsed)
		for one := range strings.SplitSeq(condition, ",") {
			named := strings.TrimSuffix(strings.TrimLeft(one, "<>=!~"), ".*")
			if plain := strings.Trim(named, "0123456789.") == ""; plain {
				tried = append(tried, named+".0.0.0.0.1")
			} else if !strings.HasPrefix(one, "==") {
				return false
			}
			tried = append(tried, named)
		}
	}
	return !slices.ContainsFunc(append(tried, "0"), func(text string) bool {
		tried, err := version.Parse(text)
		return err != nil || !slices.ContainsFunc(all, func(one version.Specifiers) bool { return !one.Check(tried) })
	})
}

// Located adds to a line in which pip names something that the repository asks for where it does.
func (r *Requirements) Located(line string) string {
	wish, said := strings.CutPrefix(strings.TrimSpace(line), "The user requested ")
	at := slices.IndexFunc(r.Packages, func(one Package) bool { return canonical(one.Name) == NameOf(wish) })
	if !said || at < 0 {
		return line
	}
	return line + " (" + r.Packages[at].Place.String() + ")"
}
