package contribute_test

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
)

// world is a catalog that people add to.
type world struct {
	*catalogtest.World

	contribute *contribute.Service
	dataCite   *codehost.DataCite // nil: it isn't asked
}

func newWorld(t testing.TB, db *sqldb.DB, entries ...catalog.Entry) *world {
	t.Helper()
	w := &world{World: catalogtest.New(t, db, entries...)}
	w.readFrom(codehost.NewHosts(nil, nil))
	return w
}

// readFrom sets the hosts from which descriptors are read.
func (w *world) readFrom(hosts *codehost.Hosts) {
	w.contribute = contribute.NewService(contribute.Dependencies{
		Entries: w.Service, Hosts: hosts, DataCite: w.dataCite, DescriptorNames: []string{"cairn.yml", "cybershuttle.yml"},
	})
	w.Mount(w.contribute)
}

// withGitHub reads descriptors from a stand-in that has the repository lab/spikes.
func (w *world) withGitHub(token string) *githubtest.Server {
	w.T.Helper()
	host := githubtest.Start(w.T)
	host.Put(githubtest.Repository{Name: "lab/spikes", Files: map[string]string{"cairn.yml": spikes}})
	gitHub := codehost.NewGitHub(host.Options(w.T, token))
	bundled := codehost.Bundled{"demo/git/first": fstest.MapFS{"cairn.yml": {Data: []byte(spikes)}}}
	w.readFrom(codehost.NewHosts(map[string]codehost.Host{"github.com": gitHub, "127.0.0.1:8080": bundled}, nil))
	return host
}

// call sends a request, decodes the answer into result, and returns its status.
func (w *world) call(email, method, path, body string, result any) int {
	w.T.Helper()
	answer := w.Call(email, method, httpapi.Base+path, body)
	if err := json.Unmarshal(answer.Body.Bytes(), result); err != nil {
		w.T.Errorf("%s %s: %v: %s", method, path, err, answer.Body)
	}
	return answer.Code
}
