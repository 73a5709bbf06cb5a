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

// Repositories of every kind of host are added, found again, corrected and synced.
func TestRepositoriesOfEveryHost(t *testing.T) {
	t.Parallel()
	repositories := []hosttest.Repository{
		{Name: "lab/spikes", Files: map[string]string{"cairn.yml": spikes}},
		{Name: "lab/bare", Files: map[string]string{"README.md": "# Bare\n\nNothing but text.\n"}},
		{Name: "lab/wrong", Files: map[string]string{"cairn.yml": "project:\n  name: Wrong\n"}},
	}
	for host, one := range map[string]struct {
		open        func(t *testing.T) (codehost.Host, *hosttest.StandIn)
		edit, empty string // pages of the host, after its address
		isKnown     bool   // by a number
	}{
		"gitlab.com": {func(t *testing.T) (codehost.Host, *hosttest.StandIn) {
			t.Helper()
			stand := hosttest.StartGitLab(t, repositories)
			return codehost.NewGitLab(stand.Options(t, time.Now)), stand
		}, "/lab/wrong/-/edit/main/cairn.yml", "/lab/bare/-/new/main?file_name=cairn.yml", true},
		"codeberg.org": {func(t *testing.T) (codehost.Host, *hosttest.StandIn) {
			t.Helper()
			stand := hosttest.StartGitea(t, repositories)
			return codehost.NewGitea(stand.Options(t, time.Now)), stand
		}, "/lab/wrong/_edit/main/cairn.yml", "/lab/bare/_new/main/", true},
		"bitbucket.org": {func(t *testing.T) (codehost.Host, *hosttest.StandIn) {
			t.Helper()
			stand := hosttest.StartGit(t, repositories)
			clones, err := codehost.OpenClones(t.TempDir(), 1<<30, time.Now, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			return codehost.NewGit(codehost.GitOptions{
				URL: stand.URL, FilesURL: "/src", Clones: clones, Now: time.Now, Logger: slog.New(slog.DiscardHandler), Git: gitclient.Options{Web: hosttest.Client()},
			}), stand
		}, "/lab/wrong/src/main/cairn.yml?mode=edit", "", false},
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sqldbtest.SQLite(t, time.Now))
			opened, stand := one.open(t)
			w.readFrom(codehost.NewHosts(map[string]codehost.Host{host: opened}, nil))
			address := "https://" + host + "/lab/spikes"
			var answer added
			w.Send(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl="+address+".git", spikesCopy, http.StatusCreated, &answer)
			if r := answer.Resource; r.RepositoryURL != address || !*r.CanSync {
				t.Errorf("added %+v", r)
			}
			stored, err := w.Readable(t.Context(), answer.Resource.ID)
			if err != nil || one.isKnown != strings.HasPrefix(stored.HostID, host+"/") {
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
			for name, page := range map[string]string{"wrong": one.edit, "bare": one.empty} {
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
