package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/apptest"
	"cairn/internal/app/commands"
	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"
)

// demoTarget is the demo's, with a data folder.
func demoTarget(t *testing.T, change func(settings *config.Config)) *target {
	t.Helper()
	settings := config.Default()
	settings.Demo, settings.Data = true, t.TempDir()
	if err := os.Chmod(settings.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&settings)
	}
	return newTarget(settings)
}

type look func(ctx context.Context, on *target) (string, []problem)

// expect expects the beginnings of problems, or what is seen where there are none.
func expect(t *testing.T, of look, on *target, summary string, problems ...string) {
	t.Helper()
	got, found := of(t.Context(), on)
	if len(problems) == 0 && !strings.Contains(got, summary) {
		t.Errorf("it summary %q, want %q", got, summary)
	}
	for i, one := range found {
		if i >= len(problems) || !strings.HasPrefix(one.what, problems[i]) {
			t.Errorf("it found %q", one.what+" "+one.fix)
		}
		if one.fix == "" {
			t.Errorf("%q has no fix", one.what)
		}
	}
	if len(found) < len(problems) {
		t.Errorf("it found %q, want %q", found, problems)
	}
}

func TestTheDoctorSaysWhatIsWrongWithTheConfigurationFirst(t *testing.T) {
	t.Parallel()
	settings := config.Default()
	settings.Demo, settings.Data, settings.Log.Level, settings.Limits.AdditionsPerHour = true, t.TempDir(), "all", -1
	var out strings.Builder
	err := Run(t.Context(), settings, &out)
	if fault.KindOf(err) != fault.Conflict || fault.MessageOf(err) != "There are 2 things to fix." {
		t.Errorf("%v", err)
	}
	if got := out.String(); !strings.HasPrefix(got, "problem  configuration: limits.additions_per_hour: must be") || strings.Count(got, "\n") != 2 {
		t.Errorf("%s", got)
	}
}

func TestTheDoctorExaminesAll(t *testing.T) {
	t.Parallel()
	on := demoTarget(t, func(settings *config.Config) {
		settings.Listen, settings.SessionListen = "127.0.0.1:0", "127.0.0.1:0"
		settings.SessionURL, settings.SharedSessions = "http://run.localhost:8081/{kind}/{id}/", true
	})
	var out strings.Builder
	err := Run(t.Context(), on.config, &out)
	for _, name := range []string{"configuration", "start", "account", "files", "disk", "open files", "database", "backup", "names", "identity provider", "engines"} {
		if !strings.Contains(out.String(), " "+name+": ") {
			t.Errorf("nothing is said of %s", name)
		}
	}
	if !strings.Contains(out.String(), "note     configuration: session_url: with one host name") {
		t.Errorf("nothing is said of the one host name:\n%s", out.String())
	}
	if !strings.Contains(out.String(), "note     backup: No backup yet. Set one up: ") {
		t.Errorf("nothing is said of the backup:\n%s", out.String())
	}
	problems := strings.Count(out.String(), "problem  ")
	if machine := strings.Count(out.String(), "problem  engines") + strings.Count(out.String(), "problem  disk") + strings.Count(out.String(), "problem  open files"); problems != machine {
		t.Errorf("more is wrong than with this machine:\n%s", out.String())
	}
	if (err == nil) != (problems == 0) {
		t.Errorf("%v with %d problems", err, problems)
	}
	on.config.Listen, on.config.PublicURL = "192.0.2.1:8080", "https://catalog.example.org"
	on.config.Reading.DemoAnywhere = true
	expectStart := func(_ context.Context, on *target) (string, []problem) {
		summary, problems := checkStart(t.Context(), on)
		for i := range problems {
			problems[i].fix = "in the sentence"
		}
		return summary, problems
	}
	expect(t, expectStart, on, "", "listen: Can't listen on the address 192.0.2.1:8080")
}

func TestTheDoctorLooksAtFilesAndTheirAccount(t *testing.T) {
	t.Parallel()
	on := demoTarget(t, nil)
	expect(t, checkFiles, on, "is closed to other accounts")
	expect(t, checkAccount, on, "whose the data folder is")
	file := filepath.Join(on.config.Data, "cairn.db")
	for _, name := range []string{file, filepath.Join(on.config.Data, "theirs.csv")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, checkFiles, on, "", "Other accounts may read what is in the data folder: "+file+".")
	on.config.TLS = config.TLS{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
	apptest.WriteCertificate(t, on.config.TLS.CertFile, on.config.TLS.KeyFile, 1, time.Hour)
	if err := errors.Join(os.Chmod(on.config.TLS.KeyFile, 0o644), os.Chmod(file, 0o600)); err != nil {
		t.Fatal(err)
	}
	expect(t, checkFiles, on, "", "Everyone can read the key "+on.config.TLS.KeyFile)
	if os.Geteuid() == 0 { // apptest.Nobody else can give files away
		if err := os.Chown(on.config.Data, apptest.Nobody, apptest.Nobody); err != nil {
			t.Fatal(err)
		}
		expect(t, checkAccount, on, "", "This command runs as root, and the data folder "+on.config.Data+" belongs to nobody.")
	}
}

func TestTheDoctorMeasuresTheMachine(t *testing.T) {
	t.Parallel()
	on := demoTarget(t, func(settings *config.Config) { settings.Disk.Reserve = "1MiB" })
	expect(t, checkDisk, on, " left")
	on.config.Disk.Reserve = "1000TiB"
	expect(t, checkDisk, on, "", "The disk of "+on.config.Data+" has ", "The disk of "+on.config.SessionsFolder()+" has ")
	few := func(context.Context, *target) (string, []problem) { return checkHandleLimit(1024) }
	expect(t, few, on, "", "This account can have 1024 files")
	many := func(context.Context, *target) (string, []problem) { return checkHandleLimit(65536) }
	expect(t, many, on, "up to 65536")
}

func TestTheDoctorLooksAtTheDatabase(t *testing.T) {
	t.Parallel()
	on := demoTarget(t, nil)
	expect(t, checkDatabase, on, "the start makes the tables")
	db, err := sqldb.OpenAt(t.Context(), on.config.DatabaseAddress(), time.Now, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	expect(t, checkDatabase, on, "SQLite with tables of version 1; the start brings them to ")
	t.Run("PostgreSQL", func(t *testing.T) {
		on.config.DatabaseURL = sqldbtest.Postgres(t)
		expect(t, checkDatabase, on, "PostgreSQL; the start makes the tables")
		expect(t, checkClock, on, "agrees with the database")
		on.now = func() time.Time { return time.Now().Add(-time.Hour) }
		expect(t, checkClock, on, "", "This machine's clock is 1h0m0s behind that of the database.")
	})
}

func TestDoctorLooksForTheDatasets(t *testing.T) {
	t.Parallel()
	on := &target{config: config.Default()}
	expect(t, checkDatasets, on, "")
	on.config.Datasets.Root = t.TempDir()
	expect(t, checkDatasets, on, "in "+on.config.Datasets.Root)
	on.config.Datasets.Root += "/lost"
	expect(t, checkDatasets, on, "", "datasets.root names "+on.config.Datasets.Root)
}

func TestTheDoctorKnowsTheLastBackup(t *testing.T) {
	t.Parallel()
	on := demoTarget(t, nil)
	if summary, problems := checkBackup(t.Context(), on); summary != "" || len(problems) > 0 || adviseBackup(on) == "" {
		t.Errorf("without a backup it says %q, %+v and %q", summary, problems, adviseBackup(on))
	}
	if err := commands.Backup(t.Context(), on.config, "", filepath.Join(t.TempDir(), "backup"), "", "test", false, new(strings.Builder)); err != nil {
		t.Fatal(err)
	}
	expect(t, checkBackup, on, "the last one was made ")
	on.now = func() time.Time { return time.Now().Add(9*24*time.Hour + time.Hour) }
	expect(t, checkBackup, on, "", "The last backup is 9 days old.")
	if advice := adviseBackup(on); advice != "" {
		t.Errorf("with a backup it advises %q", advice)
	}
}

func TestTheDoctorReadsSavedWork(t *testing.T) {
	t.Parallel()
	on := demoTarget(t, nil)
	expect(t, checkVersions, on, "")
	folder := filepath.Join(on.config.Data, installation.VersionsName, "local", "one")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	if err := os.WriteFile(filepath.Join(work, "mine.txt"), []byte(strings.Repeat("precious ", 10_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(work)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	store, err := versions.Open(folder, versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	saved, err := store.Save(t.Context(), versions.Request{Line: "line", Cause: "timer", Roots: []versions.Root{{Name: "work", Folder: root}}})
	if err = errors.Join(err, store.Close()); err != nil || !saved.Changed {
		t.Fatalf("%+v %v", saved, err)
	}
	expect(t, checkVersions, on, "1 of them were read and are as they were written")
	packs, err := filepath.Glob(folder + "/*.pack")
	if err != nil || len(packs) != 1 {
		t.Fatalf("%v %v", packs, err)
	}
	pack, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	pack[len(pack)/2] ^= 1
	if err := os.WriteFile(packs[0], pack, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, checkVersions, on, "", "The saved work in "+folder+" can't be read completely")
	on.running = true
	expect(t, checkVersions, on, "they're read while the server is stopped")
}

func TestTheDoctorReadsCertificates(t *testing.T) {
	t.Parallel()
	on := demoTarget(t, nil)
	expect(t, checkCertificate, on, "")
	on.config.TLS = config.TLS{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
	on.config.PublicURL, on.config.SessionURL = "https://catalog.example.org", "https://{kind}-{id}.run.example.org"
	for name, one := range map[string]struct {
		life     time.Duration
		names    []string
		problems []string
	}{
		"of nobody known": {365 * 24 * time.Hour, []string{"catalog.example.org", "*.run.example.org"}, []string{"This machine doesn't trust the certificate"}},
		"old":             {-48 * time.Hour, []string{"catalog.example.org", "*.run.example.org"}, []string{"The certificate " + on.config.TLS.CertFile + " ended on "}},
		"of other names": {72*time.Hour + time.Minute, []string{"catalog.example.org"}, []string{
			"The certificate " + on.config.TLS.CertFile + " ends on " + time.Now().Add(72*time.Hour+time.Minute).UTC().Format(time.DateOnly) + ", in 3 days.",
			"The certificate " + on.config.TLS.CertFile + " isn't for s-x.run.example.org",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			apptest.WriteCertificate(t, on.config.TLS.CertFile, on.config.TLS.KeyFile, 1, one.life, one.names...)
			expect(t, checkCertificate, on, "", one.problems...)
		})
	}
	on.now = func() time.Time { return time.Now().Add(-2 * 365 * 24 * time.Hour) }
	apptest.WriteCertificate(t, on.config.TLS.CertFile, on.config.TLS.KeyFile, 1, 365*24*time.Hour, "catalog.example.org", "*.run.example.org")
	expect(t, checkCertificate, on, "", "The certificate "+on.config.TLS.CertFile+" begins on ")
}

func TestTheDoctorAsksThePublicAddress(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	proxy := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	defer proxy.Close()
	on := demoTarget(t, func(settings *config.Config) { settings.PublicURL = proxy.URL })
	expect(t, checkPublicAddress, on, "")
	on.running = true
	expect(t, checkPublicAddress, on, "", "No server answers at "+proxy.URL) // an unknown certificate
	on.client = proxy.Client()
	on.now = func() time.Time { return proxy.Certificate().NotBefore.Add(time.Hour) }
	expect(t, checkPublicAddress, on, "the server answers at "+proxy.URL)
	on.now = func() time.Time { return proxy.Certificate().NotAfter.Add(-50 * time.Hour) }
	expect(t, checkPublicAddress, on, "", "The certificate of "+proxy.URL+" ends on ")
	status = http.StatusBadGateway
	expect(t, checkPublicAddress, on, "", "At "+proxy.URL+" this server doesn't answer, but something else: 502 Bad Gateway.")
}

func TestTheDoctorResolvesNames(t *testing.T) {
	t.Parallel()
	on := demoTarget(t, nil)
	var asked []string
	known := map[string]bool{"catalog.example.org": true, "run.example.org": true}
	on.resolve = func(_ context.Context, host string) error {
		asked = append(asked, host)
		if !known[host] {
			return errors.New("no such host")
		}
		return nil
	}
	expect(t, checkNames, on, "all are this machine's own")
	if len(asked) != 0 {
		t.Errorf("it asked for %v", asked)
	}
	on.config.PublicURL, on.config.SessionURL = "https://catalog.example.org", "https://{kind}-{id}.run.example.org"
	_, problems := checkNames(t.Context(), on)
	if len(problems) != 1 || !strings.Contains(problems[0].what, ".run.example.org of session_url leads nowhere.") || !strings.Contains(problems[0].fix, "*.run.example.org") {
		t.Errorf("it found %q", problems)
	}
	if len(asked) != 2 || strings.Contains(asked[1], "{") {
		t.Errorf("it asked for %v", asked)
	}
	on.config.SessionURL = "https://run.example.org/{kind}/{id}/"
	expect(t, checkNames, on, "catalog.example.org and run.example.org can be resolved")
	on.config.PublicURL = "https://other.example.org"
	expect(t, checkNames, on, "", "The name other.example.org of public_url leads nowhere.")
}

// provider is an identity provider that says what it is told to.
type provider struct {
	*httptest.Server
	document, keys map[string]any
	ahead          time.Duration
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{keys: map[string]any{"keys": []any{
		map[string]any{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "use": "sig"}, map[string]any{"kty": "strange"},
	}}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(p.ahead).UTC().Format(http.TimeFormat))
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			_ = json.NewEncoder(w).Encode(p.document)
		case "/keys":
			_ = json.NewEncoder(w).Encode(p.keys)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(p.Close)
	p.document = map[string]any{"issuer": p.URL, "jwks_uri": p.URL + "/keys"}
	return p
}

func TestTheDoctorReadsTheIdentityProvider(t *testing.T) {
	t.Parallel()
	on := demoTarget(t, nil)
	expect(t, checkProvider, on, "the embedded one")
	p := newProvider(t)
	on.config.OIDC.Issuer = p.URL + "/"
	expect(t, checkProvider, on, p.URL+" answers; its keys: 1")
	on.config.OIDC.Token = "introspection"
	expect(t, checkProvider, on, "", p.URL+" offers no introspection.")
	p.document["introspection_endpoint"] = p.URL + "/introspect"
	expect(t, checkProvider, on, "answers and offers introspection")
	on.config.OIDC.Token = "jwt"
	p.keys = map[string]any{"keys": []any{}}
	expect(t, checkProvider, on, "", "The keys of "+p.URL+" can't be read: there is none that signs.")
	p.document["jwks_uri"] = p.URL + "/gone"
	expect(t, checkProvider, on, "", "The keys of "+p.URL+" can't be read: "+p.URL+"/gone answered 404 Not Found.")
	p.document["issuer"] = "https://other.example.org"
	expect(t, checkProvider, on, "", "The discovery document of "+p.URL+" can't be used: the document is of the issuer https://other.example.org.")
	p.Close()
	expect(t, checkProvider, on, "", "The discovery document of "+p.URL+" can't be used: ")
}

func TestTheDoctorComparesClocks(t *testing.T) {
	t.Parallel()
	on := demoTarget(t, nil)
	expect(t, checkClock, on, "")
	p := newProvider(t)
	on.config.OIDC.Issuer = p.URL
	expect(t, checkClock, on, "agrees with the identity provider")
	for ahead, says := range map[time.Duration]string{time.Hour: "behind", -time.Hour: "ahead of"} {
		p.ahead = ahead
		_, problems := checkClock(t.Context(), on)
		if len(problems) != 1 || !strings.Contains(problems[0].what, says+" that of the identity provider") {
			t.Errorf("%s: it found %q", ahead, problems)
		}
	}
}

func TestTheDoctorOpensEngines(t *testing.T) {
	t.Parallel()
	hub := hubtest.New("the-token", 0)
	server := httptest.NewServer(hub)
	defer server.Close()
	on := demoTarget(t, func(settings *config.Config) {
		settings.Sessions.Engines = []config.Engine{{Name: "hub", Kind: config.HubKind, URL: server.URL, Token: "the-token"}}
	})
	expect(t, checkEngines, on, "hub answers")
	on.config.Sessions.Engines[0].Token = "another"
	expect(t, checkEngines, on, "", "hub: The hub rejected the token")
	for _, one := range []struct {
		found localjupyter.Isolation
		want  int
	}{
		{localjupyter.Isolation{Level: sandbox.LevelA}, 0},
		{localjupyter.Isolation{Level: sandbox.LevelB}, 0},
		{localjupyter.Isolation{Level: sandbox.LevelC, Denied: "bwrap: no"}, 1},
		{localjupyter.Isolation{Level: sandbox.LevelD, Open: "Open.", Network: localjupyter.Reach{Sentence: "All."}}, 3},
	} {
		if got := isolationProblems("local", one.found); len(got) != one.want || !strings.Contains(fmt.Sprint(got), one.found.Denied) {
			t.Errorf("%s: %s", one.found.Level, fmt.Sprint(got))
		}
	}
}

func TestTheDoctorRecommendsJupyterLab(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"jupyter-lab", "jupyter-notebook"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\nexec /opt/jupyter \"$@\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	on := demoTarget(t, func(*config.Config) {})
	for name, want := range map[string]bool{"jupyter-lab": false, "jupyter-notebook": true, "gone": false} {
		on.config.Sessions.Jupyter = filepath.Join(folder, name)
		if got := adviseJupyter(on); strings.Contains(got, "jupyterlab>=4,<5") != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	on.config.Sessions.Engines = []config.Engine{{Name: "hub", Kind: config.HubKind}}
	on.config.Sessions.Jupyter = filepath.Join(folder, "jupyter-notebook")
	if got := adviseJupyter(on); got != "" {
		t.Errorf("with a hub alone: %q", got)
	}
}
