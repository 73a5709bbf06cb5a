package requirements

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cairn/internal/sessions/engine"
)

// RPackage is a package of R, or R itself, that a repository asks for.
type RPackage struct {
	Name       string       // as its authors know it; "R" is R itself
	Conditions []RCondition // that its version fulfills, all of them
	Place      Place

	fromConda bool
}

// RCondition is a condition for a version of R's packages, as in DESCRIPTION files.
type RCondition struct {
	Operator string // one of == != >= <= > <
	Version  string // numbers with dots or dashes between them; after ==, perhaps with .* behind
}

// String returns the package as people write it, such as "dplyr >= 1.0 (R)".
func (p RPackage) String() string {
	conditions := make([]string, len(p.Conditions))
	for i, one := range p.Conditions {
		conditions[i] = " " + one.Operator + " " + one.Version
	}
	text := p.Name + strings.Join(conditions, ",")
	if p.IsR() {
		return text
	}
	return text + " (R)"
}

// IsR reports whether it asks for a version of R.
func (p RPackage) IsR() bool { return p.Name == rItself }

// Is reports whether it asks for a package of this name. Names of conda are in lowercase, whatever the package is called.
func (p RPackage) Is(name string) bool {
	return p.Name == name || p.fromConda && strings.EqualFold(p.Name, name)
}

// IsFulfilledBy reports whether a version fulfills its conditions.
func (p RPackage) IsFulfilledBy(version string) bool {
	return !slices.ContainsFunc(p.Conditions, func(one RCondition) bool { return !one.holds(version) })
}

// Exact returns the only version that it accepts; false if there are others.
func (p RPackage) Exact() (version string, ok bool) {
	if len(p.Conditions) != 1 || p.Conditions[0].Operator != "==" || strings.HasSuffix(p.Conditions[0].Version, ".*") {
		return "", false
	}
	return p.Conditions[0].Version, true
}

func (c RCondition) holds(version string) bool {
	have, want := rNumbers(version), rNumbers(strings.TrimSuffix(c.Version, ".*"))
	if strings.HasSuffix(c.Version, ".*") {
		have = have[:min(len(have), len(want))]
	}
	compared := slices.Compare(have, want)
	switch c.Operator {
	case "==":
		return compared == 0
	case "!=":
		return compared != 0
	case ">=":
		return compared >= 0
	case "<=":
		return compared <= 0
	case ">":
		return compared > 0
	default:
		return compared < 0
	}
}

// rNumbers returns the numbers of a version, which R compares one after the other.
func rNumbers(version string) (numbers []int) {
	for text := range strings.FieldsFuncSeq(version, func(r rune) bool { return r == '.' || r == '-' }) {
		number, _ := strconv.Atoi(text)
		numbers = append(numbers, number)
	}
	return numbers
}

// rItself is the name of R in files that list its packages.
const rItself = "R"

// Names and versions of packages, from "Writing R Extensions", section 1.1.1.
const (
	rNamePiece    = `[A-Za-z][A-Za-z0-9.]*`
	rVersionPiece = `[0-9]{1,9}(?:[.-][0-9]{1,9}){0,9}`
)

var (
	rNameForm     = regexp.MustCompile(`^` + rNamePiece + `$`)
	rVersionForm  = regexp.MustCompile(`^` + rVersionPiece + `$`)
	rDependency   = regexp.MustCompile(`^(` + rNamePiece + `)\s*(?:\(\s*(==|!=|>=|<=|>|<)\s*(` + rVersionPiece + `)\s*\))?$`)
	rCondaClause  = regexp.MustCompile(`^(==|!=|>=|<=|>|<|=)\s*(` + rVersionPiece + `)(?:\.\*|=[A-Za-z0-9_.*]+)?$`)
	rRuntimeForm  = regexp.MustCompile(`^r-([0-9]{1,3}\.[0-9]{1,3})(?:-[0-9]{4}-[0-9]{2}-[0-9]{2})?$`)
	rInstallCall  = regexp.MustCompile(`\binstall\.packages\(\s*(?:pkgs\s*=\s*)?(?:c\(([^()]*)\)|("[^"]*"|'[^']*'))\s*(?:,\s*(?:[A-Za-z.]+)\s*=\s*(?:"[^"]*"|'[^']*'|TRUE|FALSE|T|F|NA|[0-9]+|c\([^()]*\)|getOption\([^()]*\))\s*)*\)`)
	rQuotedString = regexp.MustCompile(`"([^"]*)"|'([^']*)'`)
)

const (
	whyRScript = "Only install.packages() with the names of packages in quotes is read; the rest of the script isn't run."
	whyRSource = "Only packages of a repository such as CRAN are installed."
)

func (r *Requirements) wantR(name string, conditions ...RCondition) {
	r.R = append(r.R, RPackage{Name: name, Conditions: conditions, Place: r.at})
}

// addDescription reads the packages that an R package depends on.
func (r *Requirements) addDescription(text string) {
	field := ""
	fields := map[string]*strings.Builder{}
	for line := range strings.Lines(text) {
		name, rest, named := strings.Cut(line, ":")
		if named && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			field, line = name, rest
		}
		if fields[field] == nil {
			fields[field] = &strings.Builder{}
		}
		fields[field].WriteString(line)
	}
	value := func(name string) string {
		if fields[name] == nil {
			return ""
		}
		return fields[name].String()
	}
	for _, name := range []string{"Depends", "Imports", "LinkingTo"} {
		for wish := range strings.SplitSeq(value(name), ",") {
			wish = strings.Join(strings.Fields(wish), " ")
			found := rDependency.FindStringSubmatch(wish)
			switch {
			case wish == "":
			case found == nil:
				r.leave(wish+" (R)", whyVersion)
			case found[2] == "":
				r.wantR(found[1])
			default:
				r.wantR(found[1], RCondition{found[2], found[3]})
			}
		}
	}
	for wish := range strings.SplitSeq(value("Remotes"), ",") {
		if wish = strings.TrimSpace(wish); wish != "" {
			r.leave(wish+" (R)", whyRSource)
		}
	}
}

// addRenvLock reads the packages that renv installed, each in the version that its authors had.
func (r *Requirements) addRenvLock(one file) {
	var lock struct {
		R struct {
			Version string
		}
		Packages map[string]struct {
			Package, Version, Source string
		}
	}
	if err := json.Unmarshal([]byte(one.text), &lock); err != nil {
		r.leave(one.path, "The file can't be read as JSON.")
		return
	}
	if parts := strings.Split(lock.R.Version, "."); len(parts) > 1 && rVersionForm.MatchString(lock.R.Version) {
		r.wantR(rItself, RCondition{"==", parts[0] + "." + parts[1] + ".*"})
	}
	for _, key := range sortedKeys(lock.Packages) {
		found := lock.Packages[key]
		name := cmp.Or(found.Package, key)
		switch {
		case name == "renv": // which isn't needed where it doesn't choose the packages
		case !rNameForm.MatchString(name) || !rVersionForm.MatchString(found.Version):
			r.leave(name+" (R)", whyVersion)
		case found.Source != "" && found.Source != "Repository":
			r.leave(fmt.Sprintf("%s %s from %s (R)", name, found.Version, found.Source), whyRSource)
		default:
			r.wantR(name, RCondition{"==", found.Version})
		}
	}
}

// addInstallScript reads the calls in a script that name packages. Anything else in it is a program, which isn't run.
func (r *Requirements) addInstallScript(one file) {
	text := withoutRComments(one.text)
	for _, call := range rInstallCall.FindAllStringSubmatch(text, -1) {
		for _, quoted := range rQuotedString.FindAllStringSubmatch(cmp.Or(call[1], call[2]), -1) {
			if name := quoted[1] + quoted[2]; rNameForm.MatchString(name) {
				r.wantR(name)
			} else {
				r.leave(name+" (R)", whyRSource)
			}
		}
	}
	if rest := rInstallCall.ReplaceAllString(text, ""); strings.Trim(rest, " \t\r\n;") != "" {
		r.leave(one.path, whyRScript)
	}
}

// withoutRComments removes the comments of a program in R, which begin with a # outside of quotes.
func withoutRComments(text string) string {
	var kept strings.Builder
	quote, comment, escaped := rune(0), false, false
	for _, letter := range text {
		switch {
		case comment:
			comment = letter != '\n'
		case escaped:
			escaped = false
		case quote != 0 && letter == '\\':
			escaped = true
		case quote != 0:
			if letter == quote {
				quote = 0
			}
		case letter == '"' || letter == '\'':
			quote = letter
		case letter == '#':
			comment = true
		}
		if !comment {
			kept.WriteRune(letter)
		}
	}
	return kept.String()
}

// addCondaR reads a package of R that conda calls r-NAME; false if it can't be read.
func (r *Requirements) addCondaR(name, condition string) bool {
	if !rNameForm.MatchString(name) {
		return false
	}
	var conditions []RCondition
	for clause := range strings.SplitSeq(condition, ",") {
		if clause = strings.TrimSpace(clause); clause == "" || clause == "*" {
			continue
		}
		found := rCondaClause.FindStringSubmatch(strings.ReplaceAll(clause, "_", "-"))
		if found == nil && rVersionForm.MatchString(clause) {
			found = []string{"", "==", clause}
		}
		if found == nil {
			return false
		}
		if loose := found[1] == "="; loose {
			found[1], found[2] = "==", found[2]+".*"
		}
		conditions = append(conditions, RCondition{found[1], found[2]})
	}
	switch name {
	case "base":
		if len(conditions) > 0 {
			r.wantR(rItself, conditions...)
		}
	case "irkernel":
	default:
		r.R = append(r.R, RPackage{Name: name, Conditions: conditions, Place: r.at, fromConda: true})
	}
	return true
}

// mostR is the maximum number of packages of R that a repository can ask for.
const mostR = 2_000

// mostConditions is how many conditions of one package count.
const mostConditions = 20

// finishR makes one list of R's packages, each once: as a lock names it, if there is one.
func (r *Requirements) finishR() {
	var kept []RPackage
	places := map[string][]int{} // in kept, by the name in lowercase: names of conda have no capitals
	for _, one := range r.R {
		folded := strings.ToLower(one.Name)
		at := -1
		for _, place := range places[folded] {
			if other := kept[place]; one.Is(other.Name) || other.Is(one.Name) {
				at = place
				break
			}
		}
		switch _, exact := one.Exact(); {
		case at < 0 && len(kept) == mostR:
			r.leave(one.Place.File, fmt.Sprintf("Only the first %d packages of R are installed.", mostR))
			r.R = kept
			return
		case at < 0:
			places[folded] = append(places[folded], len(kept))
			kept = append(kept, one)
		case exact:
			kept[at] = one
		default:
			if _, exact := kept[at].Exact(); !exact && !slices.Equal(kept[at].Conditions, one.Conditions) && len(kept[at].Conditions) < mostConditions {
				kept[at].Conditions = append(slices.Clone(kept[at].Conditions), one.Conditions...)
			}
		}
	}
	r.R = kept
}

// LeaveR returns all packages of R as left out, for a reason.
func (r *Requirements) LeaveR(why string) []engine.LeftOut {
	var left []engine.LeftOut
	for _, one := range r.R {
		left = append(left, engine.LeftOut{What: one.String(), Why: why})
	}
	return left
}

// Fields returns the package on one line for a program: its name, "folded" if its capitals aren't known or else "exact", and its
// conditions, with a tab between them.
func (p RPackage) Fields() string {
	fields := []string{p.Name, "exact"}
	if p.fromConda {
		fields[1] = "folded"
	}
	for _, one := range p.Conditions {
		fields = append(fields, one.Operator+" "+one.Version)
	}
	return strings.Join(fields, "\t")
}
