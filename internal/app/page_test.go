package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/discovery"
	"cairn/internal/app/transfer"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sizes"
	"cairn/internal/sharing/fair"
	"cairn/internal/site"
	"cairn/internal/site/page"
	"cairn/internal/site/page/pagetest"
)

const hostileBrand = `</script><script>alert(1)</script>`

// pageEntries are a public and a private dataset, as lines of an import.
const pageEntries = `{"kind": "resource", "externalId": "d1", "type": "DATASET", "name": "Spikes", "description": "Markdown", ` +
	`"authors": ["Neuro@Example.org"], "tags": ["md, namd", "v1"], "privacy": "PUBLIC", "headerImage": "", "datasetUrl": "spikes"}` + "\n" + `{"kind": "resource", "externalId": "secret", "type": "DATASET", "name": "Hush", "description": "", ` +
	`"authors": ["neuro@example.org"], "privacy": "PRIVATE", "datasetUrl": "hush"}`

// testProgram creates a server with a public and a private dataset in its catalog, and hostile text where operators
// write.
func testProgram(t *testing.T, change func(*program)) *program {
	t.Helper()
	settings := config.Default()
	settings.Demo = true
	p := &program{config: settings, version: "1", logger: slog.New(slog.DiscardHandler), site: site.Keep(&site.Site{Brand: site.Brand{Name: hostileBrand}})}
	p.publicURL, p.sessionURL = pagetest.PublicURL, "http://{kind}-{id}.localhost:8081"
	p.issuer = p.publicURL + config.EmbeddedProviderPath
	p.discovery = discovery.New(p.issuer, filepath.Join(t.TempDir(), "discovery.json"), &http.Client{}, p.logger)
	if change != nil {
		change(p)
	}
	var err error
	if p.address, err = origin.ParseAddressTemplate(p.sessionURL, humanize.Host(p.publicURL)); err != nil {
		t.Fatal(err)
	}
	p.db = sqldbtest.SQLite(t, time.Now)
	if err := transfer.ImportOnce(t.Context(), p.db, strings.NewReader(pageEntries)); err != nil {
		t.Fatal(err)
	}
	return p
}

func testPage(t *testing.T, p *program) *page.Server {
	t.Helper()
	api := httpapi.New(httpapi.Options{
		Logger: p.logger, SignedIn: func(context.Context) bool { return false },
		Authenticate: func(r *http.Request, _ bool) (context.Context, error) { return r.Context(), nil },
	})
	entries := catalog.NewService(t.Context(), catalog.NewStore(p.db), catalog.Options{Logger: slog.New(slog.DiscardHandler)})
	entries.Routes(api)
	forms := fair.New(fair.Options{Entries: entries, Appearances: catalog.NewStore(p.db), Site: p.fairSite, Now: time.Now})
	server, err := p.newPage(pagetest.Files(t), api.Handler(), forms)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

var configScript = regexp.MustCompile(`(?s)<script type="application/json" id="config">(.*?)</script>`)

func TestSecurityPolicyNamesTheForeignProvider(t *testing.T) {
	t.Parallel()
	served := testPage(t, testProgram(t, func(p *program) {
		p.config.OIDC.Issuer, p.issuer = "https://login.example.org/realms/lab", "https://login.example.org/realms/lab"
		p.config.OIDC.Origins = []string{"https://broker.example.org"}
		saved := filepath.Join(t.TempDir(), "discovery.json")
		document := `{"issuer": "` + p.issuer + `", "token_endpoint": "https://tokens.example.org/token"}`
		if err := os.WriteFile(saved, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		p.discovery = discovery.New(p.issuer, saved, &http.Client{}, p.logger)
		p.publicURL, p.sessionURL = "https://catalog.example.org", "https://run.example.net/{kind}/{id}/"
	}))
	got := pagetest.Policy(t, pagetest.Get(t, served, "/"))
	signIn := "https://broker.example.org https://login.example.org https://tokens.example.org"
	if got["connect-src"] != "'self' "+signIn || got["frame-src"] != "'self' "+signIn+" https://run.example.net" {
		t.Errorf("got %q and %q", got["connect-src"], got["frame-src"])
	}
}

// CVE-2025-58366: the public configuration contained secrets.
func TestPublicConfigurationHoldsNoSecret(t *testing.T) {
	t.Parallel()
	const canary = "canary"
	p := testProgram(t, func(p *program) {
		c := &p.config
		c.DatabaseURL, c.Data, c.Datasets.Root, c.Site = "postgres://u:"+canary+"@db/x", "/"+canary, "/"+canary, canary
		c.IDP.Accounts = []config.IDPAccount{{Email: canary + "@example.org", Name: canary, PasswordHash: canary}}
		c.Code.CodeHost.GitHub.Token, c.Code.CodeHost.GitHub.APIURL = canary, canary
		c.Sessions.Engines = []config.Engine{{Name: "hub", Label: "Hub", Kind: config.LocalKind, URL: "https://" + canary, Token: canary}}
		c.TrustedProxies, c.CORS.Origins, c.Accounts.Enable.Domains = []string{canary}, []string{canary}, []string{canary}
	})
	text, err := json.Marshal(p.publicConfig(t.Context(), p.site.Current()))
	if err != nil || strings.Contains(string(text), canary) {
		t.Errorf("%v: %s", err, text)
	}
	document := pagetest.Get(t, testPage(t, p), "/")
	if strings.Contains(document.Body.String(), canary) || strings.Contains(document.Header().Get("Content-Security-Policy"), canary) {
		t.Error("the document holds a secret")
	}
}

func TestEverybodySeesTheSizesThatAreForEverybody(t *testing.T) {
	t.Parallel()
	profiles := []sizes.Profile{
		{Name: "small"}, {Name: "large", For: sizes.Audience{Domains: []string{"example.edu"}}}, {Name: "huge", For: sizes.Audience{Operators: true}}, {Name: "open"},
	}
	kind := sessionKind(t.Context(), sizes.Engine{Engine: fake.New(fake.NewStore(nil, nil, nil)), Name: "local", Profiles: profiles})
	if len(kind.Profiles) != 2 || kind.Profiles[0].Name != "small" || kind.Profiles[1].Name != "open" {
		t.Errorf("everybody sees %+v", kind.Profiles)
	}
	if !slices.Contains(kind.Languages, KernelLanguage{Name: "python", Label: "Python 3"}) || !slices.Equal(kind.Interfaces, []sizes.Interface{sizes.Jupyter}) {
		t.Errorf("everybody sees the languages %+v and the interfaces %q", kind.Languages, kind.Interfaces)
	}
}
