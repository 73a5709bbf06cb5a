package codehost

import (
	"net/url"
	"slices"
	"strings"
)

// isPage reports whether the elements of a path, of which the last ones are given, are those of a page of a repository: on GitHub
// tree/main/folder or blob/..., on GitLab the same after "-", on Gitea and Forgejo src/branch/main/folder, on Bitbucket src/main/folder.
func isPage(host string, rest []string) bool {
	switch rest[0] {
	case "-":
		return true
	case "tree", "blob":
		return len(rest) > 1 && !slices.Contains(rest, "-") // before which a repository of GitLab may have any name
	case "src", "raw", "media":
		return host == bitbucketHost || len(rest) > 2 && slices.Contains(refKinds, rest[1]) && !slices.Contains(rest, "-")
	}
	return false
}

const bitbucketHost = "bitbucket.org"

// refKinds are what comes before a name of a branch, a commit or a tag in addresses of Gitea and Forgejo.
var refKinds = []string{"branch", "commit", "tag"}

// FilePage is the page of a file at a code host, or its raw file, as its address says.
type FilePage struct {
	Repository Repository
	RefAndPath []string // the elements of both, two at least: a branch may have slashes in its name

	pages, raw string // the addresses before them; raw is "" at GitHub, where another host has the files
}

// ParseFilePage parses the address of a file in a repository, as in https://github.com/owner/name/blob/REF/PATH, or of its page at nbviewer.
func ParseFilePage(address string) (page FilePage, ok bool) {
	parsed, err := url.Parse(Viewed(address))
	if err != nil {
		return FilePage{}, false
	}
	elements := strings.Split(strings.Trim(parsed.Path, "/"), "/")
	host, first, at := strings.TrimPrefix(hostOf(parsed), "www."), 2, 2
	switch {
	case host == rawGitHub && len(elements) > 2:
		parsed.Host, parsed.Path = "github.com", "/"+elements[0]+"/"+elements[1]
	default:
		if first, at = filePlace(host, elements); at == 0 {
			return FilePage{}, false
		}
	}
	page.RefAndPath = elements[at:]
	if len(page.RefAndPath) < 2 || slices.Contains(page.RefAndPath, "..") || slices.Contains(page.RefAndPath, "") {
		return FilePage{}, false
	}
	parsed.RawPath, parsed.RawQuery, parsed.Fragment = "", "", ""
	if page.Repository, err = Parse(parsed.String()); err != nil {
		return FilePage{}, false
	}
	before := (&url.URL{Scheme: "https", Host: parsed.Host}).String() + escaped(elements[:first]...)
	kind := escaped(elements[min(first+1, at):at]...)
	switch elements[first] {
	case "blob", "-": // GitLab's pages are after "-", and GitHub's aren't
		if elements[first] == "-" {
			page.pages, page.raw = before+"/-/blob/", before+"/-/raw/"
		}
	case "src", "raw", "media":
		page.pages, page.raw = before+"/src"+kind+"/", before+"/raw"+kind+"/"
	}
	return page, true
}

// filePlace returns where the page of a file begins in a path, and where its ref does; zeros if it isn't one.
func filePlace(host string, elements []string) (first, at int) {
	if at := slices.Index(elements, "-"); at >= 2 { // GitLab, where everything before it is the repository
		if at+1 < len(elements) && (elements[at+1] == "blob" || elements[at+1] == "raw") {
			return at, at + 2
		}
		return 0, 0
	}
	for i := 2; i < len(elements)-1; i++ {
		next := elements[i+1]
		switch elements[i] {
		case "blob":
			return i, i + 1
		case "src", "raw", "media":
			if slices.Contains(refKinds, next) {
				return i, i + 2
			}
			if host == bitbucketHost && i == 2 && elements[i] != "media" {
				return i, i + 1
			}
		case "tree":
			return 0, 0
		}
	}
	return 0, 0
}

// Raw returns the address of a raw file, from its ref and path; "" if the page doesn't tell it.
func (p FilePage) Raw(refAndPath ...string) string { return joined(p.raw, refAndPath) }

// Page returns the address of the page of a file, from its ref and path; "" if the page doesn't tell it.
func (p FilePage) Page(refAndPath ...string) string { return joined(p.pages, refAndPath) }

func joined(before string, elements []string) string {
	if before == "" || len(elements) == 0 {
		return before
	}
	return before + strings.TrimPrefix(escaped(elements...), "/")
}

// ParseFile is ParseFilePage without the addresses.
func ParseFile(address string) (repository Repository, refAndPath []string, ok bool) {
	page, ok := ParseFilePage(address)
	return page.Repository, page.RefAndPath, ok
}
