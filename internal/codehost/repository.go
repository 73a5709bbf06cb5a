package codehost

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"cairn/internal/fault"
)

// Repository names a repository: the host of its address, with a port where there is one, and the path in two parts.
type Repository struct {
	Host  string // in lower case
	Owner string // all of the path but its last element
	Name  string // without .git
}

// addressLimit is what common servers and browsers take.
const addressLimit = 2_000

// Parse reads the address of a repository, as people copy it from the bar of a browser: what leads to a place inside
// it, a trailing ".git" and a leading "www." are dropped, and https may be left out. Invalid when it names none.
// Whether this server knows its host is told by Hosts.
func Parse(address string) (Repository, error) {
	invalid := fault.InvalidField("githubUrl", "This is no address of a repository; one looks like https://github.com/owner/name.")
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
		// The pages of a repository lie below its own: /tree/main/folder, /blob/..., and with GitLab below "-".
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

// hostOf gives the host of an address as it is compared: in lower case, without the port that goes without saying.
func hostOf(address *url.URL) string {
	usual := map[string]string{"https": ":443", "http": ":80"}[address.Scheme]
	return strings.TrimSuffix(strings.ToLower(address.Host), usual)
}

// Key is the same for all ways to write the address of one repository.
func (r Repository) Key() string { return r.Host + "/" + strings.ToLower(r.Owner+"/"+r.Name) }

// Same tells whether two addresses mean one repository: hosts compare owner and name without their case.
func (r Repository) Same(other Repository) bool { return r.Key() == other.Key() }

// String is how people call it.
func (r Repository) String() string { return r.Owner + "/" + r.Name }
