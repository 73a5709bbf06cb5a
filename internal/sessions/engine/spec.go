package engine

import (
	"cmp"
	"io/fs"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"cairn/internal/foundation/fault"
)

// DataFolder is the folder in the work folder that contains the datasets; no repository may have its name.
const DataFolder = "data"

// addressLimit is the maximum length of a repository address, in bytes.
const addressLimit = 2048

// IsSessionID reports whether a text is a session's id: a UUID in lower case.
func IsSessionID(id string) bool {
	parsed, err := uuid.Parse(id)
	return err == nil && parsed.String() == id
}

// Validate returns an Invalid fault that names the first field that breaks the rules of Spec; every engine's Start
// calls it.
func (s Spec) Validate() error {
	if !IsSessionID(s.ID) {
		return fault.InvalidField("id", "The session's id must be a UUID in lower case.")
	}
	if !strings.Contains(s.Owner, "@") && s.Owner != "" || s.Owner != strings.ToLower(s.Owner) || strings.ContainsFunc(s.Owner, unprintable) {
		return fault.InvalidField("owner", "The session's owner must be an e-mail address in lower case.")
	}
	if s.Batch != nil && s.Owner != "" {
		return fault.InvalidField("owner", "A session in which a program runs notebooks has no owner.")
	}
	if err := s.Repository.Validate(); err != nil {
		return err
	}
	if s.Notebook.Name != "" && (!ValidNotebook(s.Notebook.Name) || s.Notebook.Name == s.Repository.Folder) {
		return fault.InvalidField("notebook.name", "A notebook cannot be named %q.", s.Notebook.Name)
	}
	if s.Open != "" && (s.Repository == (Repository{}) || !fs.ValidPath(s.Open)) {
		return fault.InvalidField("open", "%q isn't the path of a file in the repository.", s.Open)
	}
	taken := map[string]bool{}
	for i, dataset := range s.Datasets {
		location := "datasets[" + strconv.Itoa(i) + "]"
		switch {
		case !ValidFolder(dataset.Folder):
			return fault.InvalidField(location+".folder", "A dataset can't be in a folder named %q.", dataset.Folder)
		case taken[dataset.Folder]:
			return fault.InvalidField(location+".folder", "Two datasets share the folder %q.", dataset.Folder)
		case count(cmp.Or(dataset.Path, listed(dataset.Files)), dataset.URL, dataset.Unavailable) != 1:
			return fault.InvalidField(location, "Dataset %q must have one of a path, an address, a list of files and a reason why it has none of them.", dataset.Name)
		case len(dataset.Files) > MostFiles:
			return fault.InvalidField(location+".files", "Dataset %q has more than %d files.", dataset.Name, MostFiles)
		case (len(dataset.Files) > 0 && dataset.Key == "") || (dataset.Key != "" && len(dataset.Files) == 0 && dataset.Unavailable == "") || strings.ContainsFunc(dataset.Key, unprintable):
			return fault.InvalidField(location+".key", "Dataset %q must have a key if it has a list of files, and nowhere else.", dataset.Name)
		case dataset.Path != "" && !cleanAbsolute(dataset.Path):
			return fault.InvalidField(location+".path", "The path of dataset %q must be absolute.", dataset.Name)
		case dataset.URL != "" && !fetchable(dataset.URL):
			return fault.InvalidField(location+".url", "The address of dataset %q must be that of a file on the web, beginning with https://.",
				dataset.Name)
		}
		for _, file := range dataset.Files {
			if !CanFetch(file.URL) {
				return fault.InvalidField(location+".files", "The address of %q in dataset %q must begin with https://.", file.Path, dataset.Name)
			}
		}
		taken[dataset.Folder] = true
	}
	return nil
}

// Validate returns an Invalid fault that names the first field that breaks the rules of Repository; nil for the zero value.
func (r Repository) Validate() error {
	if r == (Repository{}) {
		return nil
	}
	if err := CheckRepositoryURL(r.URL); err != nil {
		return err
	}
	if r.LocalPath != "" && !cleanAbsolute(r.LocalPath) {
		return fault.InvalidField("repository.localPath", "The repository's local path must be absolute.")
	}
	if !ValidFolder(r.Folder) || r.Folder == DataFolder {
		return fault.InvalidField("repository.folder", "The repository can't be in a folder named %q.", r.Folder)
	}
	if r.Ref != "" {
		return CheckRef(r.Ref)
	}
	return nil
}

// CheckRepositoryURL returns an Invalid fault unless git may be given the address: http or https with a host, and
// without credentials, options, blanks or other transports. It doesn't check where the address leads.
func CheckRepositoryURL(address string) error {
	refuse := func(reason string) error {
		return fault.InvalidField("repository.url", "The repository's address %s.", reason)
	}
	if len(address) > addressLimit {
		return refuse("is too long")
	}
	if strings.HasPrefix(address, "-") || strings.ContainsAny(address, "\\\"'`<>") || strings.ContainsFunc(address, unprintable) {
		return refuse("holds characters that no address has")
	}
	parsed, err := url.Parse(address)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Opaque != "" {
		return refuse("must begin with https:// or http://")
	}
	if parsed.Hostname() == "" || strings.HasPrefix(parsed.Hostname(), "-") {
		return refuse("names no host")
	}
	if parsed.User != nil {
		return refuse("must not hold a user name or a password")
	}
	if strings.ContainsAny(address, "?#") || strings.Trim(parsed.Path, "/") == "" {
		return refuse("must be the plain clone address")
	}
	return nil
}

// refLimit is the maximum length of a ref, in bytes.
const refLimit = 250

// CheckRef returns a RefNotFound fault unless a text can name a branch, a tag or a commit; what git would read as an
// option or as an expression can't.
func CheckRef(ref string) error {
	if ref == "" || len(ref) > refLimit || !utf8.ValidString(ref) || strings.HasPrefix(ref, "-") || strings.HasPrefix(ref, "refs/") ||
		strings.ContainsAny(ref, "~^:?*[\\") || strings.ContainsFunc(ref, unprintable) || strings.Contains(ref, "..") ||
		strings.Contains(ref, "@{") || strings.HasSuffix(ref, ".") || ref == "@" || ref == "HEAD" {
		return fault.New(fault.RefNotFound, "%s isn't the name of a branch, tag or commit.", fault.Quote(ref))
	}
	for element := range strings.SplitSeq(ref, "/") {
		if element == "" || strings.HasPrefix(element, ".") || strings.HasSuffix(element, ".lock") {
			return fault.New(fault.RefNotFound, "%s isn't the name of a branch, tag or commit.", fault.Quote(ref))
		}
	}
	return nil
}

// refsShown is the maximum number of refs in a message.
const refsShown = 12

// RefNotFound returns a fault that names the branches and tags that a repository has.
func RefNotFound(ref string, there []string) error {
	names := make([]string, 0, refsShown)
	for _, name := range there[:min(len(there), refsShown)] {
		names = append(names, fault.Quote(name))
	}
	text := "It has " + strings.Join(names, ", ") + "."
	switch {
	case len(there) == 0:
		text = "It has none at all."
	case len(there) > refsShown:
		text = "It has " + strings.Join(names, ", ") + " and " + strconv.Itoa(len(there)-refsShown) + " others."
	}
	return fault.New(fault.RefNotFound, "The repository has no branch, tag or commit %s. %s", fault.Quote(ref), text)
}

// fetchable reports whether an address may be asked for a file; where it leads is checked when it is dialed.
func fetchable(address string) bool {
	parsed, err := url.Parse(address)
	return err == nil && len(address) <= addressLimit && parsed.Scheme == "https" && parsed.Hostname() != "" && parsed.User == nil &&
		!strings.ContainsFunc(address, unprintable)
}

// listed is "files" for a list that isn't empty.
func listed(files []RemoteFile) string {
	if len(files) == 0 {
		return ""
	}
	return "files"
}

// CanFetch reports whether a file may be fetched from an address: over https, or from a loopback address.
func CanFetch(address string) bool {
	if rest, plain := strings.CutPrefix(address, "http://"); plain {
		parsed, err := url.Parse(address)
		if err != nil {
			return false
		}
		ip, err := netip.ParseAddr(parsed.Hostname())
		return (err == nil && ip.IsLoopback() || parsed.Hostname() == "localhost") && fetchable("https://"+rest)
	}
	return fetchable(address)
}

func count(texts ...string) int {
	given := 0
	for _, text := range texts {
		if text != "" {
			given++
		}
	}
	return given
}

func cleanAbsolute(path string) bool {
	return filepath.IsAbs(path) && filepath.Clean(path) == path && !strings.ContainsRune(path, 0)
}

func unprintable(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar
}
