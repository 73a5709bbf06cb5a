package catalog

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Kept is where this server has the files of a version of an entry.
type Kept struct {
	ID     string // of the entry
	Number int    // of the version
	File   string // in the version; "": all files
}

// KeptPath begins the addresses of kept repositories, as a path.
const KeptPath = "/kept/"

var (
	keptPattern           = regexp.MustCompile(`^kept:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/v([1-9][0-9]{0,8})(?:/(.+))?$`)
	keptRepositoryPattern = regexp.MustCompile(`^https?://[^/]+` + KeptPath + `([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/v([1-9][0-9]{0,8})/([A-Za-z0-9][A-Za-z0-9._-]*?)(?:\.git)?$`)
)

// String is the address of kept files as entries have it.
func (k Kept) String() string {
	address := fmt.Sprintf("kept:%s/v%d", k.ID, k.Number)
	if k.File != "" {
		address += "/" + k.File
	}
	return address
}

// Repository is the address at which git clones kept files, given that of the server.
func (k Kept) Repository(public, name string) string {
	return fmt.Sprintf("%s%s%s/v%d/%s.git", strings.TrimRight(public, "/"), KeptPath, k.ID, k.Number, name)
}

// ParseKept returns where the files of an address are kept; false for files elsewhere.
func ParseKept(address string) (Kept, bool) {
	found := keptPattern.FindStringSubmatch(address)
	if found == nil {
		found = keptRepositoryPattern.FindStringSubmatch(address)
		if found == nil {
			return Kept{}, false
		}
		found[3] = ""
	}
	number, err := strconv.Atoi(found[2])
	return Kept{ID: found[1], Number: number, File: found[3]}, err == nil
}

// Kept returns where this server has the files of an entry; false if they are elsewhere.
func (r Entry) Kept() (Kept, bool) {
	for _, address := range []string{r.DatasetURL, r.NotebookPath, r.RepositoryURL} {
		if kept, ok := ParseKept(address); ok && kept.ID == r.ID {
			return kept, true
		}
	}
	return Kept{}, false
}

func validKept(address string) bool {
	_, ok := ParseKept(address)
	return ok && strings.HasPrefix(address, "kept:") && ValidText(address, false)
}

var notInFolders = regexp.MustCompile(`[^a-z0-9]+`)

// KeptFolder is the name of the folder in which kept files of an entry of a name are, in a session or a clone; another one for names without
// any of the usual letters.
func KeptFolder(name, other string) string {
	const most = 50
	name = strings.Trim(notInFolders.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return cmp.Or(strings.Trim(name[:min(len(name), most)], "-"), other)
}
