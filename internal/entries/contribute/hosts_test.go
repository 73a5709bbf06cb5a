package contribute_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/hosttest"
	"cairn/internal/foundation/gitclient"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// open opens one of the kinds of hosts, with a stand-in.
func open(t *testing.T, host string, repositories []hosttest.Repository) (codehost.Host, *hosttest.StandIn) {
	t.Helper()
	switch host {
	case "github.com":
		stand := hosttest.StartGitHub(t, repositories)
		options := stand.Options(t, time.Now)
		options.APIURL, options.RawURL = stand.URL+"/api", stand.URL+"/raw"
		return codehost.NewGitHub(options), stand
	case "gitlab.com":
		stand := hosttest.StartGitLab(t, repositories)
		return codehost.NewGitLab(stand.Options(t, time.Now)), stand
	case "codeberg.org":
		stand := hosttest.StartGitea(t, repositories)
		return codehost.NewGitea(stand.Options(t, time.Now)), stand
	}
	stand := hosttest.StartGit(t, repositories)
	clones, err := codehost.OpenClones(t.TempDir(), 1<<30, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return codehost.NewGit(codehost.GitOptions{
		URL: stand.URL, FilesURL: "/src", Clones: clones, Now: time.Now, Logger: slog.New(slog.DiscardHandler), Git: gitclient.Options{Web: hosttest.Client()},
	}), stand
}

// Repositories of every kind of host are added, found again, corrected and synced.
func TestRepositoriesOfEveryHost(t *testing.T) {
	t.Parallel()
	repositories := []hosttest.Repository{
		{Name: "lab/spikes", Files: map[string]string{"cairn.yml": spikes}},
		{Name: "lab/bare", Files: map[string]string{"README.md": "# Bare\n\nNothing but text.\n"}},
		{Name: "lab/wrong", Files: map[string]string{"cairn.yml": "project:\n  name: Wrong\n"}},
	}
	for host, pages := range map[string]struct {
		edit, empty string // after the host's address
		isKnown     bool   // by a number
	}{
		"github.com":    {"/lab/wrong/edit/main/cairn.yml", "/lab/bare/new/main?filename=cairn.yml", true},
		"gitlab.com":    {"/lab/wrong/-/edit/main/cairn.yml", "/lab/bare/-/new/main?file_name=cairn.yml", true},
		"codeberg.org":  {"/lab/wrong/_edit/main/cairn.yml", "/lab/bare/_new/main/", true},
		"bitbucket.org": {"/lab/wrong/src/main/cairn.yml?mode=edit", "", false},
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sqldbtest.SQLite(t, time.Now))
			opened, stand := open(t, host, repositories)
			w.readFrom(codehost.NewHosts(map[string]codehost.Host{host: opened}, nil))
			address := "https://" + host + "/lab/spikes"
			var answer added
			w.Send(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl="+address+".git", spikesCopy, http.StatusCreated, &answer)
			if r := answer.Resource; r.RepositoryURL != address || !*r.CanSync {
				t.Errorf("added %+v", r)
			}
			stored, err := w.Readable(t.Context(), answer.Resource.ID)
			if err != nil || pages.isKnown != strings.HasPrefix(stored.HostID, host+"/") {
				t.Errorf("its id at the host is %q, %v", stored.HostID, err)
			}
			var again refusal
			if status := w.call(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl="+address, spikesCopy, &again); status != http.StatusConflict {
				t.Errorf("it is added twice: %d %+v", status, again)
			}
			var synced catalog.Resource
			w.Send(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(answer.Resource.ID, ""), http.StatusOK, &synced)
			if synced.Name != "Spike sorting" {
				t.Errorf("synced %+v", synced)
			}
			for name, page := range map[string]string{"wrong": pages.edit, "bare": pages.empty} {
				var refused struct {
					Draft *struct{ Address, Host string }
				}
				w.call(catalogtest.Ada, http.MethodGet, "/codehost/descriptor?githubUrl=https://"+host+"/lab/"+name, "", &refused)
				if page != "" {
					page = stand.URL + page
				}
				if refused.Draft == nil || refused.Draft.Address != page || refused.Draft.Host == "" {
					t.Errorf("%s: the draft is %+v", name, refused.Draft)
				}
			}
		})
	}
}
