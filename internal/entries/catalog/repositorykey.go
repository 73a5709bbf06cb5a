package catalog

import (
	"cmp"
	"strings"

	"cairn/internal/entries/codehost"
)

// RepositoryKey identifies a repository, so that two of its addresses have the same key: host/owner/name in lower case,
// without ".git"; "" for a text that isn't the address of a repository.
func RepositoryKey(address string) string {
	parsed, ok := ParseAddress(address)
	if !ok {
		return ""
	}
	path := strings.TrimRight(strings.ToLower(parsed.EscapedPath()), "/")
	if path = strings.TrimRight(strings.TrimSuffix(path, ".git"), "/"); path == "" {
		return ""
	}
	return strings.ToLower(parsed.Host) + path
}

// repositoryKey is the key of an entry that is a repository, "" for any other.
func (r Entry) repositoryKey() string {
	if r.Type != Repository {
		return ""
	}
	return RepositoryKey(r.RepositoryURL)
}

// HoldingRepository is the key of the repository that an entry is, or that holds it; "" if there is none.
func (r *Resource) HoldingRepository() string {
	if r.Type == Notebook {
		return notebookRepositoryKey(cmp.Or(r.NotebookSource, r.NotebookPath))
	}
	return r.Entry().repositoryKey()
}

// notebookRepositoryKey is the key of the repository that contains a notebook at a code host's address, as in
// https://github.com/owner/name/blob/REF/path.ipynb, or at nbviewer's; "" for any other address.
func notebookRepositoryKey(address string) string {
	page, ok := codehost.ParseFilePage(address)
	if !ok {
		return ""
	}
	return RepositoryKey(page.Repository.Address())
}

// FileAtHost returns the page of a file of a repository at its code host, or of the repository itself if the file is "".
// It is "" for hosts whose addresses aren't known.
func FileAtHost(repository, file string) string {
	parsed, ok := ParseAddress(repository)
	if !ok || parsed.Scheme != "https" {
		return ""
	}
	var between string
	switch host := strings.ToLower(parsed.Hostname()); {
	case host == "github.com":
		between = "/blob/HEAD/"
	case strings.HasPrefix(host, "gitlab."):
		between = "/-/blob/HEAD/"
	case host == "bitbucket.org":
		between = "/src/HEAD/"
	case host == "codeberg.org":
		file = "" // whose pages need the name of a branch
	default:
		return ""
	}
	page := strings.TrimSuffix(strings.TrimRight(repository, "/"), ".git")
	if file == "" {
		return page
	}
	return page + between + file
}
