package app

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"cairn/docs"
	"cairn/internal/app/config"
	"cairn/internal/app/discovery"
	"cairn/internal/app/installation"
	"cairn/internal/app/serving"
	"cairn/internal/app/transfer"
	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/people/idp"
	"cairn/internal/sessions"
	"cairn/internal/sessions/records"
	"cairn/internal/sessions/sizes"
	"cairn/internal/sessions/wiring"
	"cairn/internal/sharing/badge"
	"cairn/internal/sharing/fair"
	"cairn/internal/site"
	"cairn/internal/site/demo"
	"cairn/internal/site/guide"
	"cairn/internal/site/page"
	"cairn/web"
)

// connect opens the database and the engines, connects the features, and returns the two handlers and what else there is to
// do until the end.
func (p *program) connect(ctx context.Context) (portal, gateway http.Handler, d serving.Duties, err error) {
	own := p.config.SingleServerParts()
	if p.db, err = sqldb.OpenToServe(ctx, p.config.DatabaseAddress(), len(own) > 0, time.Now, p.logger); err != nil {
		return nil, nil, d, installation.AttachFault(err, own)
	}
	p.close = append(p.close, p.db.Close)

	client := discovery.NewClient()
	p.discovery = discovery.New(p.issuer, filepath.Join(p.config.Data, installation.DiscoveryFile), client, p.logger)
	accountStore := identity.NewStore(p.db)

	files := p.openKept()
	content := sources{publicURL: p.publicURL, root: p.config.Datasets.Root, kept: files}
	if p.config.Demo {
		content.demoDir = filepath.Join(p.config.Data, "demo")
		p.withDemoWorkflow()
		if err := p.installDemo(ctx, content.demoDir, accountStore); err != nil {
			return nil, nil, d, err
		}
	}
	hosts, dataCite, err := p.openCodeHosts(files)
	if err != nil {
		return nil, nil, d, err
	}
	clients := p.openArchives()
	hosts.connect = append(hosts.connect, archiveHosts(clients)...)
	connected, readers, err := p.connectAccounts(hosts)
	if err != nil {
		return nil, nil, d, err
	}
	parts, err := p.openEntries(ctx, content, hosts.Hosts, dataCite, readers)
	if err != nil {
		return nil, nil, d, err
	}
	parts.connections = connected
	if err := p.openEngines(content); err != nil {
		return nil, nil, d, err
	}
	if p.config.OIDC.Issuer == "" {
		if p.provider, err = p.openProvider(); err != nil {
			return nil, nil, d, err
		}
	}
	parts.accounts = p.identityService(accountStore, client)
	parts.projects = projects.NewService(projects.NewStore(p.db), parts.entries)
	parts.related = p.relatedEntries(parts)
	parts.sessions = p.newSessions(parts, content, hosts.Hosts)
	if err := errors.Join(p.newContent(ctx, &parts, files), p.newDeposits(&parts, clients, files)); err != nil {
		return nil, nil, d, err
	}
	parts.workshops = p.newWorkshops(parts, content)
	parts.runs = p.newRuns(parts)
	parts.overview = p.newOverview(parts)
	feed := sqldb.NewFeed(p.db, p.logger)
	feed.Succeeded = p.taskDone(taskChanges)
	accountStore.Follow(feed)
	parts.entries.Follow(feed)
	parts.sessions.Follow(feed)
	d.Background = []func(context.Context){
		feed.Run, parts.sessions.Run, parts.workshops.Run, parts.runs.Run, parts.runs.Schedule, parts.connections.Run, parts.uploads.Run, parts.kept.Run, parts.deposits.Run, func(ctx context.Context) { parts.entries.CountStarters(ctx, time.Tick(time.Hour)) },
		func(ctx context.Context) { p.db.FollowState(ctx, p.logger) },
		p.newKeeper().Run,
	}

	api := newAPI(p, parts)
	mux := http.NewServeMux()
	calls := api.Handler()
	pages, err := p.newPage(web.Dist(), calls, parts.fair)
	if err != nil {
		return nil, nil, d, err
	}
	mux.Handle("/api/", pages.Protect(calls))
	if p.provider != nil {
		mux.Handle(config.EmbeddedProviderPath+"/", p.provider.Handler())
	} else {
		d.Background = append(d.Background, p.discovery.Follow)
	}
	p.handleKept(mux, files, parts)
	if p.config.Demo {
		p.handleDemo(mux, content.demoDir, pages.Protect)
	}
	mux.Handle("GET /sitemap.xml", pages.Protect(&page.Sitemap{Public: p.publicURL, Entries: catalog.NewSitemap(catalog.NewStore(p.db), time.Now)}))
	mux.Handle("GET /robots.txt", pages.Protect(page.Robots(p.publicURL)))
	mux.Handle("GET /licenses.txt", pages.Protect(serveLicenses(p.version)))
	mux.Handle("GET /licenses", pages.Protect(http.RedirectHandler("/licenses.txt", http.StatusMovedPermanently)))
	permanent := pages.Permanent(parts.entries.Permanent)
	mux.Handle("GET "+catalog.PermanentPath("{id}"), permanent)
	mux.Handle("GET "+catalog.PermanentPath("{id}")+"/{version}", permanent)
	mux.Handle("GET "+badge.Path+"{file}", &badge.Server{Entry: parts.entries.Get, Product: func() string { return p.site.Current().Brand.Name }, Now: time.Now})
	mux.Handle("GET "+site.PicturePath+"{file}", pages.Protect(p.site))
	mux.Handle("GET /events/{file}", p.serveCalendars(pages))
	mux.Handle(fair.HarvestPath, pages.Protect(http.HandlerFunc(parts.fair.ServeHarvest)))
	mux.Handle("GET "+fair.FeedPath, pages.Protect(http.HandlerFunc(parts.fair.ServeFeed)))
	mux.Handle("GET "+fair.CatalogPath, pages.Protect(http.HandlerFunc(parts.fair.ServeCatalog)))
	help, err := guide.New(docs.Help, p.frame)
	if err != nil {
		return nil, nil, d, err
	}
	mux.Handle("GET "+guide.Path, pages.Protect(help))
	mux.Handle("GET "+guide.Path+"/", pages.Protect(help))
	mux.Handle("/", pages)
	parts.fair.SetSelf(mux)
	portal = httpapi.EndStalledBodies(httpapi.BodyTimeout, httpapi.OwnHosts(p.publicURL, p.config.Hosts, catalog.ReadVersions(httpapi.NameRoutes(mux))))
	gateway = sessionOrigin(parts.previews.Notebooks.Gateway(), parts.sessions.Gateway)
	health := httpapi.NewHealth(time.Now,
		httpapi.HealthCheck{Name: "database", Run: p.readDatabase}, httpapi.HealthCheck{Name: "search", Run: parts.entries.Searchable})
	p.registerMetrics(parts, health)
	d.NotReady, d.EndStreams, d.EndSockets = health.Drain, func() { parts.sessions.EndStreams(); parts.workshops.EndStreams() }, parts.sessions.Gateway.EndSockets
	return health.Handler(portal), health.Handler(gateway), d, nil
}

func (p *program) newSessions(parts features, content sources, hosts *codehost.Hosts) *wiring.Sessions {
	settings := p.config.Sessions
	return wiring.New(p.db, parts.accounts, wiring.Options{
		Engines: p.sessionEngines(), Limit: settings.Limit,
		Idle: settings.IdleLimits(), Warm: settings.WarmWants(), Keep: config.Duration(settings.Keep), Undo: config.Duration(settings.Undelete),
		Jobs: p.config.Jobs.Limits(), Sharing: p.config.Together.Sharing.Settings(), Descriptors: p.config.Descriptor.Names,
		CookieLife: config.Duration(settings.CookieLife), Address: p.address, Public: p.publicURL, Tokens: web.Tokens(), Mark: p.mark, Product: p.product,
		Resolver: &sessions.Resolver{
			Entries: parts.entries, Versions: parts.entries.Versions(), Projects: parts.projects, Notebooks: parts.previews.Notebooks, Hosts: hosts, Sources: content, Private: hosts, Archives: p.records,
		},
		Now: time.Now, Logger: p.logger, Counter: p.metrics,
	})
}

// sessionEngines returns the engines with what holds for all of them.
func (p *program) sessionEngines() sizes.Engines {
	return sizes.Engines{
		All: p.engines, Capacity: p.config.Sessions.TotalCapacity(), Contact: p.config.Accounts.Contact, Runs: p.config.Runs.Engine, VersionQuota: p.config.Keeping.Versions.QuotaBytes(),
	}
}

func (p *program) readDatabase(ctx context.Context) error {
	_, err := catalog.NewStore(p.db).LastChange(ctx)
	return err
}

// sessionOrigin divides the session listener between notebook frames and sessions.
func sessionOrigin(notebooks, sessions http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, preview.NotebookFramePath) {
			notebooks.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
}

// newPage opens the server of the page.
func (p *program) newPage(files fs.FS, calls http.Handler, forms *fair.Service) (*page.Server, error) {
	who, _ := p.config.Downloads()
	return page.New(page.Options{
		Files: files, Table: web.Pages(), Calls: calls, PublicURL: p.publicURL, Downloads: who == preview.DownloadsForEveryone, Site: p.site.Current,
		Describe: func(ctx context.Context, entry catalog.Resource) page.Described {
			return page.Described(forms.Describe(ctx, entry))
		}, Negotiate: forms.Negotiate,
		Config: func(ctx context.Context, content *site.Site) any { return p.publicConfig(ctx, content) },
		SignIn: p.signInOrigins, Sessions: p.address.Origins(), Logger: p.logger,
	})
}

func (p *program) identityService(store *identity.Store, client *http.Client) *identity.Service {
	oidc := p.config.OIDC
	options := identity.VerifierOptions{
		Issuer: p.issuer, ClientID: oidc.ClientID, Audience: oidc.Audience, TrustEmail: oidc.EmailVerified == "trust",
		RequireTokenUse: oidc.Issuer == "", Mode: identity.TokenMode(oidc.Token), Client: client, Now: time.Now,
		IntrospectionID: oidc.Introspection.ClientID, IntrospectionSecret: oidc.Introspection.ClientSecret,
	}
	if p.provider != nil {
		options.Ended = p.provider.Ended
	}
	return identity.NewService(store, identity.NewVerifier(options), p.config.AccountPolicy())
}

// webClient returns a client for addresses given by users.
func (p *program) webClient() *safehttp.Client {
	return safehttp.New(safehttp.Options{
		UserAgent: p.userAgent(), AllowHTTP: true, Allowed: p.config.Outgoing.Prefixes(),
	})
}

// userAgent returns this server's User-Agent.
func (p *program) userAgent() string { return "Cairn/" + p.version + " (+" + p.publicURL + ")" }

func (p *program) openEngines(content sources) error {
	for _, one := range p.config.Sessions.Engines {
		opened, err := installation.OpenEngine(installation.EngineOptions{
			Config: p.config, Engine: one, PublicURL: p.publicURL, DataRoot: content.dataRoot(), Records: records.New(p.db, one.Name), Web: p.webClient(), Logger: p.logger,
		})
		if err != nil {
			return err
		}
		if told, ok := opened.(interface{ Network() string }); ok {
			p.config.Sessions.Network = told.Network() // pages show what is really in force
		}
		p.close = append(p.close, opened.Close)
		label := one.Label
		if label == "" {
			label = one.Name
		}
		limits := p.config.Sessions.ShownLimits(one.Kind == config.LocalKind)
		p.engines = append(p.engines, sizes.Engine{
			Engine: opened, Name: one.Name, Label: label, Local: one.Kind == config.LocalKind,
			LaunchTimeout: config.Duration(one.LaunchTimeout), Limits: limits, Profiles: one.SessionProfiles(limits),
		})
	}
	return nil
}

// openProvider opens the embedded identity provider, and writes next to its keys what `cairn token` needs to know.
func (p *program) openProvider() (*idp.Provider, error) {
	options := p.config.ProviderOptions(p.issuer, p.publicURL, p.logger)
	options.Product, options.Style, options.Mark, options.Counted = p.product, web.Tokens()+web.Written(), p.mark, p.metrics.SignedIn
	provider, err := idp.New(options)
	if err != nil {
		return nil, err
	}
	return provider, installation.WriteIssuer(p.config.Data, installation.IssuerNote{Issuer: p.issuer, PublicURL: p.publicURL, Demo: p.config.Demo})
}

// installDemo installs the demo's content, enables its accounts, and imports its catalog if it changed. The first time it
// puts the repository that everybody can run on the landing page.
func (p *program) installDemo(ctx context.Context, dir string, accounts *identity.Store) error {
	if err := demo.Install(dir); err != nil {
		p.logger.WarnContext(ctx, "the demo's repository can't be made, so its project won't start", "error", err)
	}
	var grants []identity.Grant
	for _, account := range demo.Accounts() {
		role := identity.RoleUser
		if account.Operator {
			role = identity.RoleOperator
		}
		if account.Enabled { // the others wait, as newcomers do
			grants = append(grants, identity.Grant{Email: account.Email, Enabled: true, Role: role})
		}
	}
	if err := accounts.Decide(ctx, grants, true); err != nil {
		return err
	}
	entries := catalog.NewStore(p.db)
	_, notThere := entries.IDByExternalID(ctx, demo.RepositoryEntry)
	if err := transfer.ImportOnce(ctx, p.db, bytes.NewReader(demo.Catalog(p.publicURL, preview.SearchText))); err != nil || notThere == nil {
		return err
	}
	id, err := entries.IDByExternalID(ctx, demo.RepositoryEntry)
	if err == nil {
		_, err = entries.Curate(ctx, id, catalog.Curation{Featured: new(true)})
	}
	return err
}

// newKeeper returns the keeper of the audit. In the demo, the address and accounts that are printed for people stay in sight.
func (p *program) newKeeper() *audit.Keeper {
	keeper := audit.NewKeeper(audit.NewStore(p.db), config.Duration(p.config.Audit.Keep), p.logger)
	keeper.Succeeded = p.taskDone(taskAudit)
	if p.config.Demo {
		keeper.Level = slog.LevelDebug
	}
	return keeper
}
