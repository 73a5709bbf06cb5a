package contribute_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/hosttest"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// spikesAt is a world with the repository lab/spikes at a host.
type spikesAt struct {
	*world

	host       codehost.Host
	stand      *hosttest.StandIn
	repository codehost.Repository
	id         string
}

func newSpikesAt(t *testing.T, db *sqldb.DB, host string) *spikesAt {
	t.Helper()
	w := &spikesAt{world: newWorld(t, db), repository: codehost.Repository{Host: host, Owner: "lab", Name: "spikes"}}
	w.host, w.stand = open(t, host, []hosttest.Repository{{
		Name: "lab/spikes", Files: map[string]string{"cairn.yml": spikes, "sort.py": "1"}, Branches: map[string]map[string]string{"next": {"x": "1"}},
	}})
	w.readFrom(codehost.NewHosts(map[string]codehost.Host{host: w.host}, nil))
	return w
}

func (w *spikesAt) add() {
	w.T.Helper()
	var answer added
	w.Send(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl="+w.repository.Address(), spikesCopy, http.StatusCreated, &answer)
	w.id = answer.Resource.ID
}

func (w *spikesAt) sync() {
	w.T.Helper()
	w.Send(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(w.id, ""), http.StatusOK, nil)
}

// push changes the name in the descriptor and another file.
func (w *spikesAt) push(name, program string) (commit string) {
	w.T.Helper()
	w.stand.Change("lab/spikes", func(r *hosttest.Repository) {
		r.Files = map[string]string{"cairn.yml": strings.Replace(spikes, "Spike sorting", name, 1), "sort.py": program}
	})
	return w.tip()
}

// tip returns the commit of main.
func (w *spikesAt) tip() string {
	w.T.Helper()
	commit, err := w.host.Commit(w.T.Context(), w.repository, "main")
	if err != nil || commit == "" {
		w.T.Fatalf("the host says that its commit is %q, %v", commit, err)
	}
	return commit
}

// want checks which versions the entry has, from their commits, and returns them with the first one first.
func (w *spikesAt) want(when string, commits ...string) []catalog.EntryVersion {
	w.T.Helper()
	found, err := w.Versions().List(w.As(catalogtest.Ada), w.id)
	slices.Reverse(found)
	var got []string
	for i, one := range found {
		if one.Number != i+1 || one.Kept || one.Files != 0 {
			w.T.Errorf("%s: version %d is %+v", when, i+1, one)
		}
		got = append(got, one.Digest)
	}
	if err != nil || !slices.Equal(got, commits) {
		w.T.Fatalf("%s: the versions are %q, want %q, %v", when, got, commits, err)
	}
	return found
}

// wantName checks what the entry said in a version.
func (w *spikesAt) wantName(number int, name string) {
	w.T.Helper()
	entry, _, shown, err := w.Versions().Get(w.As(catalogtest.Ada), w.id, number)
	if err != nil || entry.Name != name || shown.Number != number {
		w.T.Errorf("version %d is %q, %+v %v; want %q", number, entry.Name, shown, err, name)
	}
}

// A repository has a version for each commit that a sync finds, with what its entry said then.
func TestSyncsOfNewCommitsMakeVersions(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"github.com", "gitlab.com", "codeberg.org", "bitbucket.org"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			w := newSpikesAt(t, sqldbtest.SQLite(t, time.Now), host)
			w.add()
			first := w.tip()
			if one := w.want("added", first)[0]; one.By != catalogtest.Ada || one.At.IsZero() {
				t.Errorf("the first version is %+v", one)
			}
			w.sync()
			w.want("nothing has changed", first)
			w.stand.Change("lab/spikes", func(r *hosttest.Repository) { r.Branches = map[string]map[string]string{"next": {"x": "2"}} })
			w.sync()
			w.want("another branch has changed", first)
			second := w.push("Spikes, sorted", "1")
			w.sync()
			if one := w.want("its descriptor has changed", first, second)[1]; one.By != catalogtest.Ada || second == first {
				t.Errorf("the second version is %+v", one)
			}
			w.wantName(1, "Spike sorting")
			w.wantName(2, "Spikes, sorted")
			w.sync()
			w.want("it is synced twice", first, second)
			third := w.push("Spikes, sorted", "2")
			w.sync()
			w.want("another file has changed", first, second, third)
			w.push("Spike sorting", "1")
			w.sync()
			w.want("it is what it was", first, second, third, w.tip())
			w.wantName(1, "Spike sorting")
			w.wantName(2, "Spikes, sorted")
			w.wantName(3, "Spikes, sorted")
			w.wantName(4, "Spike sorting")
		})
	}
}

// A host that can't say the commit hinders nobody: no version is made until it can.
func TestHostsThatDoNotSayTheCommit(t *testing.T) {
	t.Parallel()
	answers := map[string]func(w http.ResponseWriter){
		"it is down":   func(w http.ResponseWriter) { http.Error(w, "", http.StatusServiceUnavailable) },
		"too many ask": func(w http.ResponseWriter) { http.Error(w, "", http.StatusTooManyRequests) },
		"it says no":   func(w http.ResponseWriter) { http.Error(w, "", http.StatusForbidden) },
		"it talks trash": func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"name": "main", "commit": {"id": "<b>", "sha": "main"}}`))
		},
		"it has no such": func(w http.ResponseWriter) { http.Error(w, `{"message": "Not Found"}`, http.StatusNotFound) },
	}
	for name, answer := range answers {
		for _, host := range []string{"github.com", "gitlab.com", "codeberg.org"} {
			t.Run(name+" "+host, func(t *testing.T) {
				t.Parallel()
				silence := func(w http.ResponseWriter, r *http.Request) bool {
					isBranch := strings.Contains(r.URL.Path, "/branches/")
					if isBranch {
						answer(w)
					}
					return isBranch
				}
				w := newSpikesAt(t, sqldbtest.SQLite(t, time.Now), host)
				w.stand.Disturb(silence)
				w.add()
				w.want("added", "")
				w.wantName(1, "Spike sorting")
				if name == "too many ask" { // so the descriptor isn't read again for a while
					return
				}
				w.sync()
				w.want("synced", "")
				w.wantName(1, "Spike sorting")
			})
		}
	}
	for _, host := range []string{"gitlab.com", "codeberg.org"} {
		t.Run("for a while "+host, func(t *testing.T) {
			t.Parallel()
			down := func(w http.ResponseWriter, r *http.Request) bool {
				isBranch := strings.Contains(r.URL.Path, "/branches/")
				if isBranch {
					answers["it has no such"](w)
				}
				return isBranch
			}
			w := newSpikesAt(t, sqldbtest.SQLite(t, time.Now), host)
			w.stand.Disturb(down)
			w.add()
			w.stand.Disturb(nil)
			first := w.tip()
			w.sync()
			w.want("the commit of an entry without one is its first", first)
			second := w.push("Spikes, sorted", "2")
			w.stand.Disturb(down)
			w.sync()
			w.want("the new commit isn't known", first)
			w.wantName(1, "Spikes, sorted")
			w.stand.Disturb(nil)
			w.sync()
			w.want("it is", first, second)
		})
	}
}

// The commit is that of the branch from which the descriptor was read.
func TestCommitOfTheDescriptorsBranch(t *testing.T) {
	t.Parallel()
	w := newSpikesAt(t, sqldbtest.SQLite(t, time.Now), "codeberg.org")
	w.stand.Change("lab/spikes", func(r *hosttest.Repository) {
		r.Files, r.Branches = map[string]string{"x": "1"}, map[string]map[string]string{"master": {"cairn.yml": spikes}}
	})
	w.add()
	commit, err := w.host.Commit(t.Context(), w.repository, "master")
	if err != nil || commit == w.tip() {
		t.Fatalf("%q %v", commit, err)
	}
	w.want("added", commit)
	w.push("Spikes, sorted", "2") // on main, which comes first
	w.sync()
	w.want("synced", commit, w.tip())
}

// Repositories of this server have no commits, so none makes a version.
func TestVersionsOfBundledRepositories(t *testing.T) {
	t.Parallel()
	w := &spikesAt{world: newWorld(t, sqldbtest.SQLite(t, time.Now)), repository: codehost.Repository{Host: "127.0.0.1:8080", Owner: "demo/git", Name: "first"}}
	w.withGitHub("")
	var answer added
	w.Send(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl=http://127.0.0.1:8080/demo/git/first", "{}", http.StatusCreated, &answer)
	w.id = answer.Resource.ID
	w.want("added", "")
	w.sync()
	w.want("synced", "")
}

// A repository that is in the catalog already gets neither an entry nor a version.
func TestVersionsOfARepositoryThatIsThere(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newSpikesAt(t, db, "codeberg.org")
		w.add()
		first := w.tip()
		w.push("Spike sorting", "2")
		var refused refusal
		if status := w.call(catalogtest.Bob, http.MethodPost, "/resources/repository?githubUrl="+w.repository.Address(), spikesCopy, &refused); status != http.StatusConflict {
			t.Errorf("%d %+v", status, refused)
		}
		w.want("added twice", first)
		w.sync()
		w.want("synced", first, w.tip())
		var count int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM entry_version`).Scan(&count); err != nil || count != 2 {
			t.Errorf("%d versions, %v", count, err)
		}
	})
}

// connectedAs has everybody connected with one token.
type connectedAs string

func (c connectedAs) Token(context.Context, string, string) (string, error) { return string(c), nil }
func (connectedAs) Refused(context.Context, string, string, string)         {}

// The commit of a private repository is asked for as the one who adds it.
func TestCommitOfAPrivateRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	secret := hosttest.Repository{Name: "lab/spikes", Default: "main", Private: true, Files: map[string]string{"cairn.yml": spikes}}
	stand := hosttest.StartGitLab(t, []hosttest.Repository{secret})
	stand.SetPerson(hosttest.Person{Login: "ada", Token: "token-of-ada", Reads: []string{"lab/spikes"}})
	options := stand.Options(t, time.Now)
	hosts := codehost.NewHosts(map[string]codehost.Host{"gitlab.com": codehost.NewGitLab(options)}, nil)
	err := hosts.Connect(map[string]codehost.PrivateHost{"gitlab.com": {
		Connection: "gitlab", Open: func(account, token string, refused func()) codehost.Host {
			with := options
			with.Account, with.Token, with.Refused = account, token, refused
			return codehost.NewGitLab(with)
		},
	}}, connectedAs("token-of-ada"))
	if err != nil {
		t.Fatal(err)
	}
	w.readFrom(hosts)
	w.Send(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl=https://gitlab.com/lab/spikes", "{}", http.StatusCreated, nil)
	var commit string
	if err := w.DB.QueryRowContext(t.Context(), `SELECT digest FROM entry_version WHERE number = 1`).Scan(&commit); err != nil || commit != secret.Commit("main") {
		t.Errorf("the commit is %q, %v", commit, err)
	}
}
