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
	case "tree", "blob", "-":
		return true
	case "src", "raw", "media":
		return host == bitbucketHost || len(rest) > 1 && slices.Contains(refKinds, rest[1])
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
	for i := 2; i < len(elements)-1; i++ {
		next := elements[i+1]
		switch elements[i] {
		case "blob":
			return i, i + 1
		case "-":
			if next == "blob" || next == "raw" {
				return i, i + 2
			}
			return 0, 0
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

// editPage returns the page on which a file is edited or created, from the address of the pages of files of its branch.
func editPage(filesURL, file string, isNew bool) string {
	path := escaped(strings.Split(file, "/")...)[1:]
	change := func(pages, edit, create, query string) string {
		before, branch, _ := strings.Cut(filesURL, pages)
		if isNew {
			return before + create + strings.TrimSuffix(branch, "/") + query
		}
		return before + edit + branch + path
	}
	switch {
	case strings.Contains(filesURL, "/-/blob/"): // GitLab
		return change("/-/blob/", "/-/edit/", "/-/new/", "?file_name="+url.QueryEscape(file))
	case strings.Contains(filesURL, "/src/branch/"): // Gitea and Forgejo
		return change("/src/branch/", "/_edit/", "/_new/", "/")
	case strings.Contains(filesURL, "/blob/"): // GitHub
		return change("/blob/", "/edit/", "/new/", "?filename="+url.QueryEscape(file))
	case filesURL != "" && !isNew: // Bitbucket
		return filesURL + path + "?mode=edit"
	}
	return ""
}

// ParseFile is ParseFilePage without the addresses.
func ParseFile(address string) (repository Repository, refAndPath []string, ok bool) {
	page, ok := ParseFilePage(address)
	return page.Repository, page.RefAndPath, ok
}
