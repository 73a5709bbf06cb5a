// Package demo contains everything that a first start shows without a network: the demo catalog in the import format,
// the demo accounts, notebooks, datasets and one repository that anybody can clone. It doesn't depend on the
// catalog or the identity provider: internal/app imports the lines, creates the accounts and maps addresses to paths on
// this machine with the functions here.
package demo

import (
	"bytes"
	"embed"
	"encoding/json"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
)

// content is laid out as it is installed. catalog.jsonl contains {public_url} in place of this server's address.
//
//go:embed catalog.jsonl workflow.html notebooks/*.ipynb datasets first-steps
var content embed.FS

const (
	repositoryName = "first-steps.git"
	gitPrefix      = "/demo/git" // below the public address
	bundledScheme  = "bundled:"
)

// The entry of the bundled repository, by its externalId, and the path of its clone address, to which people come with
// a browser too.
const (
	RepositoryEntry    = "demo-repository-first-steps"
	RepositoryPagePath = gitPrefix + "/" + repositoryName
)

// ProjectOwner owns the ready-to-run project.
const ProjectOwner = "researcher@example.org"

// Account is a person in the demo. Accounts that aren't Enabled can sign in but not start sessions.
type Account struct {
	Email    string
	Name     string
	Operator bool
	Enabled  bool
}

// Accounts returns the demo's accounts. Only the researcher owns or authors anything in the catalog.
func Accounts() []Account {
	return []Account{
		{Email: ProjectOwner, Name: "Robin Researcher", Enabled: true},
		{Email: "colleague@example.org", Name: "Casey Colleague", Enabled: true},
		{Email: "operator@example.org", Name: "Oli Operator", Operator: true, Enabled: true},
		{Email: "newcomer@example.org", Name: "Nour Newcomer"},
	}
}

// Catalog returns the demo catalog in the import format, with the addresses of this server's repository below
// publicURL. The bundled notebooks are found by what searchText makes of them, before anybody has opened them.
func Catalog(publicURL string, searchText func(notebook []byte) string) []byte {
	var lines bytes.Buffer
	for line := range bytes.Lines(catalog()) {
		var entry map[string]any
		must(0, json.Unmarshal(line, &entry))
		path, _ := entry["notebookPath"].(string)
		if name, bundled := strings.CutPrefix(path, bundledScheme); bundled {
			entry["content"] = searchText(must(fs.ReadFile(NotebookFS(), name)))
		}
		lines.Write(append(must(json.Marshal(entry)), '\n'))
	}
	return bytes.ReplaceAll(lines.Bytes(), []byte("{public_url}"), []byte(strings.TrimRight(publicURL, "/")))
}

// catalog returns the lines as they are in the repository.
func catalog() []byte { return must(content.ReadFile("catalog.jsonl")) }

// NotebookFS returns the bundled notebooks; "bundled:NAME.ipynb" in a notebookPath means the file NAME.ipynb here.
func NotebookFS() fs.FS { return subtree("notebooks") }

// NotebookPath is where NotebookHandler is mounted.
const NotebookPath = "/demo/notebooks/"

// NotebookHandler serves the bundled notebooks as files.
func NotebookHandler() http.Handler {
	files := http.StripPrefix(NotebookPath, http.FileServerFS(NotebookFS()))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !fs.ValidPath(r.PathValue("name")) { // names that aren't text would be a fault of the server
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/x-ipynb+json")
		w.Header().Set("Content-Disposition", "attachment")
		files.ServeHTTP(w, r)
	})
}

// Repositories returns the contents of the repositories that RepositoryPath finds, by the path of their address without
// .git.
func Repositories() map[string]fs.FS {
	path := strings.TrimPrefix(gitPrefix, "/") + "/" + strings.TrimSuffix(repositoryName, ".git")
	return map[string]fs.FS{path: subtree("first-steps")}
}

// RepositoryPath returns the bare repository below dir for an address of this server, so that engines copy it without
// connecting; false for any other address.
func RepositoryPath(dir, publicURL, repositoryURL string) (string, bool) {
	if repositoryURL != strings.TrimRight(publicURL, "/")+gitPrefix+"/"+repositoryName {
		return "", false
	}
	return repositoryPath(dir), true
}

// DatasetPath returns the folder below dir for a datasetUrl "bundled:NAME"; false for any other value.
func DatasetPath(dir, datasetURL string) (string, bool) {
	name, bundled := strings.CutPrefix(datasetURL, bundledScheme)
	if !bundled || datasets()[name] == nil {
		return "", false
	}
	return filepath.Join(dir, "datasets", name), true
}

func repositoryPath(dir string) string { return filepath.Join(dir, "git", repositoryName) }

// datasets returns the content of the bundled datasets by name. Two of them belong to the repository, so that its
// notebook works in sessions without datasets too.
func datasets() map[string]fs.FS {
	found := map[string]fs.FS{}
	for _, parent := range []string{"datasets", "first-steps/data"} {
		entries := must(content.ReadDir(parent))
		for _, entry := range entries {
			found[entry.Name()] = subtree(parent + "/" + entry.Name())
		}
	}
	return found
}

func subtree(name string) fs.FS {
	return must(fs.Sub(content, name))
}

// must returns a value of the embedded content, without which the build would have failed or the tests of this package.
func must[Value any](value Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}
