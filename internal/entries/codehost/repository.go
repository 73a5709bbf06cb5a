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
	for i, element := range elements {
		// Pages of a repository are below its own: /tree/main/folder, /blob/..., and on GitLab below "-".
		if i >= 2 && (element == "tree" || element == "blob" || element == "-") {
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

// ParseFile parses the address of a file in a repository, as in https://github.com/owner/name/blob/REF/PATH. A REF may
// contain slashes, so the elements of both are returned together, two at least.
func ParseFile(address string) (repository Repository, refAndPath []string, ok bool) {
	parsed, err := url.Parse(address)
	if err != nil {
		return Repository{}, nil, false
	}
	elements := strings.Split(strings.Trim(parsed.Path, "/"), "/")
	at := 2
	switch {
	case strings.EqualFold(parsed.Host, rawGitHub) && len(elements) > 2:
		parsed.Host, parsed.Path = "github.com", "/"+elements[0]+"/"+elements[1]
	default:
		if at = slices.Index(elements, "blob"); at < 2 {
			return Repository{}, nil, false
		}
		at++
	}
	refAndPath = elements[at:]
	if len(refAndPath) < 2 || slices.Contains(refAndPath, "..") || slices.Contains(refAndPath, "") {
		return Repository{}, nil, false
	}
	parsed.RawPath, parsed.RawQuery, parsed.Fragment = "", "", ""
	repository, err = Parse(parsed.String())
	return repository, refAndPath, err == nil
}

// Address returns where the repository can be cloned from.
func (r Repository) Address() string {
	return (&url.URL{Scheme: "https", Host: r.Host, Path: "/" + r.String()}).String()
}

// hostOf returns the host of an address for comparisons: in lower case, without the default port.
func hostOf(address *url.URL) string {
	usual := map[string]string{"https": ":443", "http": ":80"}[address.Scheme]
	return strings.TrimSuffix(strings.ToLower(address.Host), usual)
}

// Key returns the same text for all spellings of a repository's address.
func (r Repository) Key() string { return r.Host + "/" + strings.ToLower(r.Owner+"/"+r.Name) }

// Same reports whether two addresses name the same repository: hosts ignore case in owner and name.
func (r Repository) Same(other Repository) bool { return r.Key() == other.Key() }

// String returns owner and name.
func (r Repository) String() string { return r.Owner + "/" + r.Name }
