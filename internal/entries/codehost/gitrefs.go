package codehost

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// refsShown is how many names of branches, and of tags, are told.
const refsShown = 100

// refs are the branches and tags of a repository, with the ids of their commits or tags.
type refs struct {
	Age

	address        string // of the repository
	head           string // the default branch; "" for none
	branches, tags map[string]string
}

// objectPattern matches the ids of git's objects.
var objectPattern = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// readRefs reads what git ls-remote --symref says.
func readRefs(address string, said []byte, asOf time.Time) refs {
	found := refs{Age: Age{AsOf: asOf}, address: address, branches: map[string]string{}, tags: map[string]string{}}
	head := ""
	for line := range strings.Lines(string(said)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch target, isSymbolic := strings.CutPrefix(id, "ref: "); {
		case isSymbolic && name == "HEAD":
			found.head = strings.TrimPrefix(target, "refs/heads/")
		case !objectPattern.MatchString(id): // a host chooses the other words, and perhaps the ends of their lines
		case name == "HEAD":
			head = id
		default:
			if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok {
				found.branches[branch] = id
			}
			if tag, ok := strings.CutPrefix(name, "refs/tags/"); ok && !strings.HasSuffix(tag, "^{}") {
				found.tags[tag] = id
			}
		}
	}
	if found.branches[found.head] == "" { // the default branch doesn't exist, or the host doesn't say its name
		found.head = ""
		for _, name := range slices.Sorted(maps.Keys(found.branches)) {
			if found.head == "" || found.branches[name] == head && found.branches[found.head] != head {
				found.head = name
			}
		}
	}
	return found
}

// someOf returns the first names.
func someOf(names map[string]string) []string {
	sorted := slices.Sorted(maps.Keys(names))
	return sorted[:min(len(sorted), refsShown)]
}
