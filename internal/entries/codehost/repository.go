package codehost

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
)

// Repository names a repository: the host of its address, with the port if there is one, and the path in two parts.
type Repository struct {
	Host  string // in lower case
	Owner string // the path except its last element
	Name  string // without .git
}

// addressLimit is what common servers and browsers accept.
const addressLimit = 2_000

// Parse parses the address of a repository as people copy it from a browser: a path inside the repository, a trailing
// ".git" and a leading "www." are dropped, and https:// is optional. It returns Invalid when the text names no
// repository. Hosts.Knows says whether this server can read it.
func Parse(address string) (Repository, error) {
	invalid := fault.InvalidField("githubUrl", "This isn't the address of a repository. One looks like https://github.com/owner/name.")
	address = strings.TrimSpace(address)
	if len(address) > addressLimit || !utf8.ValidString(address) || strings.ContainsFunc(address, func(r rune) bool {
		return r == ' ' || r == '\\' || !unicode.IsPrint(r)
	}) {
		return Repository{}, invalid
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" || parsed.User != nil || (parsed.Scheme != "https" && parsed.Scheme != "http") {
		return Repository{}, invalid
	}
	elements := strings.Split(strings.Trim(parsed.Path, "/"), "/")
	for i := range elements {
		if i >= 2 && isPage(strings.TrimPrefix(hostOf(parsed), "www."), elements[i:]) {
			elements = elements[:i]
			break
		}
	}
	last := len(elements) - 1
	elements[last] = strings.TrimSuffix(elements[last], ".git")
	for _, element := range elements {
		if element == "" || element == "." || element == ".." || strings.HasPrefix(element, "-") {
			return Repository{}, invalid
		}
	}
	if last < 1 {
		return Repository{}, invalid
	}
	return Repository{
		Host:  strings.TrimPrefix(hostOf(parsed), "www."),
		Owner: strings.Join(elements[:last], "/"), Name: elements[last],
	}, nil
}

// rawGitHub is the host of github.com's raw files.
const rawGitHub = "raw.githubusercontent.com"

// viewers are the hosts of nbviewer, the present one and its former names.
var viewers = []string{"nbviewer.org", "www.nbviewer.org", "nbviewer.jupyter.org", "nbviewer.ipython.org"}

// Viewed returns the address of the notebook that a page of nbviewer shows: of a file on GitHub, of a gist, or of any other
// file on the web. Any other address is returned unchanged, and so is one whose path leads up.
func Viewed(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.User != nil || !slices.Contains(viewers, hostOf(parsed)) {
		return address
	}
	elements := strings.Split(strings.TrimPrefix(parsed.EscapedPath(), "/"), "/")
	for _, element := range elements {
		if plain, err := url.PathUnescape(element); err != nil || !validName(plain) {
			return address
		}
	}
	if elements[0] == "format" && len(elements) > 2 { // as slides or a script
		elements = elements[2:]
	}
	kind, rest := elements[0], elements[1:]
	switch {
	case kind == "github" && len(rest) > 4 && rest[2] == "blob":
		return PublicGitHub + "/" + strings.Join(rest, "/")
	case kind == "gist" && (len(rest) == 2 || len(rest) == 3): // of an owner; the name of a file is left out if there is only one
		return "https://gist.githubusercontent.com/" + strings.Join(slices.Insert(rest, 2, "raw"), "/")
	case (kind == "url" || kind == "urls") && len(rest) > 1: // the first stands for http, where files are no more
		viewed := "https://" + strings.Join(rest, "/")
		if parsed.RawQuery != "" {
			viewed += "?" + parsed.RawQuery
		}
		return viewed
	}
	return address
}

// Address returns where the repository can be cloned from.
func (r Repository) Address() string {
	return (&url.URL{Scheme: "https", Host: r.Host, Path: "/" + r.String()}).String()
}

// hostOf returns the host of an address for comparisons: in lower case, without the ports that the web usually has, and without the dot of
// a whole name.
func hostOf(address *url.URL) string {
	host, port := strings.TrimSuffix(strings.ToLower(address.Hostname()), "."), address.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || port == "443" || port == "80" {
		return host
	}
	return host + ":" + port
}

// Key returns the same text for all spellings of a repository's address.
func (r Repository) Key() string { return r.Host + "/" + strings.ToLower(r.Owner+"/"+r.Name) }

// Same reports whether two addresses name the same repository: hosts ignore case in owner and name.
func (r Repository) Same(other Repository) bool { return r.Key() == other.Key() }

// String returns owner and name.
func (r Repository) String() string { return r.Owner + "/" + r.Name }
