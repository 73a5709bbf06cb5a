package handouts

import (
	"context"
	"regexp"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/engine"
)

// Repositories finds what changed in the repositories that sessions are started from. Git is one.
type Repositories interface {
	// Resolve returns the full id of the commit that a branch or tag of a repository names now, or its default branch if ref is empty;
	// a full id is returned as it is. RefNotFound if there is no such branch or tag, Unavailable if the repository can't be asked.
	Resolve(ctx context.Context, repository engine.Repository, ref string) (commit string, err error)

	// Changes returns the files of a newer commit that differ from those of an older one. Both are full ids. RefNotFound if the
	// repository has one of them no more, Unavailable if it can't be asked, TooLarge if more has changed than can be handed out at once.
	Changes(ctx context.Context, repository engine.Repository, from, to string) (Changed, error)
}

// Changed is what a newer commit brings.
type Changed struct {
	// Bundle has the files with their paths in the work folder, in the order of their paths, and what the older commit has at each path as
	// the content before. Files that Git LFS keeps elsewhere are their pointers, as in the repository. What the newer commit has deleted
	// isn't in it: nothing of anybody's is deleted.
	Bundle Bundle

	// LeftOut are paths in the work folder that have changed and can't be handed out: hidden files, links, submodules, and names that
	// can't be shown. They are UTF-8, and at most 1000.
	LeftOut []string
}

// leftOutLimit is the most paths in Changed.LeftOut.
const leftOutLimit = 1000

var (
	commitPattern = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	// changePattern is a line of git diff-tree --raw, up to its paths.
	changePattern = regexp.MustCompile(`^:([0-7]{6}) ([0-7]{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ([A-Z])[0-9]*$`)
)

// change is a file that differs between two commits.
type change struct {
	path     string // in the work folder
	old, now string // the ids of its contents; old is "" unless there was a regular file
}

// readChanges reads what git diff-tree --raw -z says, without renames, about a repository in a folder of the work folder.
func readChanges(said []byte, folder string) (changes []change, leftOut []string, err error) {
	words := strings.Split(strings.TrimSuffix(string(said), "\x00"), "\x00")
	if len(said) == 0 {
		return nil, nil, nil
	}
	if len(words)%2 != 0 {
		return nil, nil, errDiff
	}
	for i := 0; i < len(words); i += 2 {
		found := changePattern.FindStringSubmatch(words[i])
		if found == nil {
			return nil, nil, errDiff
		}
		one := change{path: folder + "/" + words[i+1], now: found[4]}
		if isFile(found[1]) {
			one.old = found[3]
		}
		switch {
		case found[5] == "D", one.old == one.now: // deleted, or only whether it can be executed has changed
		case !isFile(found[2]), !validPath(one.path):
			if len(leftOut) < leftOutLimit {
				leftOut = append(leftOut, strings.ToValidUTF8(one.path, "\uFFFD"))
			}
		default:
			changes = append(changes, one)
		}
	}
	if len(changes) > FilesLimit {
		return nil, nil, fault.New(fault.TooLarge, "%d files differ between the two commits. At most %d can be handed out at once.", len(changes), FilesLimit)
	}
	return changes, leftOut, nil
}

var errDiff = fault.New(fault.Unavailable, "What changed in the repository can't be read.")

// isFile reports whether a mode of git is that of a regular file.
func isFile(mode string) bool { return mode == "100644" || mode == "100755" || mode == "100664" }

// checkSizes returns the fault for changes that are too large to be handed out.
func checkSizes(changes []change, sizes map[string]int64) error {
	total := int64(0)
	for _, one := range changes {
		size, there := sizes[one.now]
		if !there || size > FileLimit {
			return fault.New(fault.TooLarge, "%s has more than %s, so it can't be handed out.", fault.Quote(one.path), humanize.Bytes(FileLimit))
		}
		total += size
	}
	if total > BundleLimit {
		return fault.New(fault.TooLarge, "The files that differ between the two commits have %s together. At most %s can be handed out at once.",
			humanize.Bytes(total), humanize.Bytes(BundleLimit))
	}
	return nil
}

// bundle returns the changes with their contents.
func bundle(changes []change, contents map[string][]byte, digests map[string]string, to string) Bundle {
	made := Bundle{Label: "commit " + to[:7]}
	for _, one := range changes {
		file := File{Path: one.path, Content: contents[one.now]}
		if before, there := digests[one.old]; there {
			file.Before = []string{before}
		}
		made.Files = append(made.Files, file)
	}
	return made
}

// head returns the commit behind the first of the names that git ls-remote lists.
func head(said []byte, names []string) string {
	listed := map[string]string{}
	for line := range strings.Lines(string(said)) {
		if id, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && commitPattern.MatchString(id) {
			listed[name] = id
		}
	}
	for _, name := range names {
		if id := listed[name]; id != "" {
			return id
		}
	}
	return ""
}
