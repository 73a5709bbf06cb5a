package app

import (
	"context"
	"path/filepath"
	"time"

	"cairn/internal/app/installation"
	"cairn/internal/content/cover"
	"cairn/internal/content/kept"
	"cairn/internal/content/preview"
	"cairn/internal/content/uploads"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/contribute"
	"cairn/internal/entries/curation"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/operations/overview"
	"cairn/internal/people/connections"
	"cairn/internal/people/identity"
	"cairn/internal/runs"
	"cairn/internal/sessions/publishing"
	"cairn/internal/sessions/runnable"
	"cairn/internal/sessions/sizes"
	"cairn/internal/sessions/wiring"
	"cairn/internal/sharing/deposits"
	"cairn/internal/sharing/fair"
	"cairn/internal/site"
	"cairn/internal/site/demo"
	"cairn/internal/site/related"
	"cairn/internal/workshops"
	"cairn/web"
)

// feature is a part of the product with API operations. Routes must not use the feature's dependencies.
type feature interface{ Routes(api *httpapi.API) }

// features are all parts with operations, except the program itself.
type features struct {
	accounts    *identity.Service
	entries     *catalog.Service
	previews    preview.Previews
	covers      *cover.Covers
	contribute  *contribute.Service
	curation    *curation.Service
	projects    *projects.Service
	related     *related.Service
	sessions    *wiring.Sessions
	runs        *runs.Service
	fair        *fair.Service
	overview    *overview.Service
	workshops   *workshops.Service
	connections *connections.Connections
	uploads     *uploads.Service
	kept        *kept.Service
	publishing  *publishing.Service
	deposits    *deposits.Service
}

// relatedEntries finds related entries among those of the other parts, and the events of the site file.
func (p *program) relatedEntries(parts features) *related.Service {
	return &related.Service{Entries: parts.entries, Projects: parts.projects, Events: func() []site.Event { return p.site.Current().Events }}
}

// fairSite returns what all forms of entries share.
func (p *program) fairSite() fair.Site {
	current := p.site.Current()
	publisher := current.PublishedBy()
	return fair.Site{
		Product: current.Brand.Name, Tagline: current.Brand.Tagline, Public: p.publicURL, Base: httpapi.Base,
		Publisher: fair.Organization{Name: publisher.Name, URL: p.publicURL + "/", ROR: publisher.ROR},
	}
}

// newAPI registers the operations of all features.
func newAPI(p *program, parts features) *httpapi.API {
	api := httpapi.New(httpapi.Options{
		Version: "1", AllowedOrigins: p.config.CORS.Origins, Logger: p.logger, Authenticate: parts.accounts.Authenticate,
		Anonymous: p.config.Limits.Anonymous.Limit(), Now: time.Now,
		Permit:    permit,
		Scopes:    tokenScopes,
		SignedIn:  func(ctx context.Context) bool { _, ok := identity.From(ctx); return ok },
		PublicURL: p.publicURL, Style: web.Tokens() + web.Written(), Frame: p.frame, Mark: p.mark,
	})
	for _, one := range []feature{
		p, parts.accounts, parts.entries, parts.previews, parts.covers, parts.contribute, parts.curation, parts.projects, parts.related, parts.sessions, parts.runs, parts.fair, parts.overview, parts.workshops, parts.connections, parts.uploads, parts.kept, parts.publishing, parts.deposits,
	} {
		one.Routes(api)
	}
	return api
}

// Document returns the OpenAPI document of the API, for `make generate`.
func Document() []byte { return newAPI(&program{}, features{}).Document() }

// openEntries opens the catalog and the features that show and change its entries.
func (p *program) openEntries(ctx context.Context, content sources, hosts *codehost.Hosts, dataCite *codehost.DataCite, readers catalog.Readers) (parts features, err error) {
	p.records = newRecords(p.config, recordsWeb(p.config, p.userAgent()))
	links, err := preview.NewLinks(ctx, p.db.Secret, p.address, time.Now)
	if err != nil {
		return parts, err
	}
	runs := &runnable.Rules{
		Notebooks: content.notebooks(),
		Languages: func() []string { return sizes.Engines{All: p.engines}.Languages(ctx) },
		Unfit: func(needs *catalog.Needs, reader catalog.Reader) string {
			return sizes.Unfit(p.engines, needs, reader)
		},
	}
	coverCache, err := cover.OpenCache(filepath.Join(p.config.Data, "cache", "covers"))
	if err != nil {
		return parts, err
	}
	parts.entries = catalog.NewService(ctx, catalog.NewStore(p.db), catalog.Options{
		Snapshot: filepath.Join(p.config.Data, installation.SnapshotFile), Logger: p.logger,
		Links:  []catalog.Link{links.Images.Link(), cover.Link(links.Images, coverCache, hosts), links.Frames.Link(), newDatasetPresence(content, time.Now).Link(), runs.Link()},
		UsedBy: projects.NewStore(p.db).CountUsing, Searched: p.metrics.Searched, Counted: p.taskDone(taskStarters), Readers: readers,
	})
	p.close = append(p.close, parts.entries.Close)
	script, _ := web.MathJax() // until the page is built, formulas stay text and say so
	who, limit := p.config.Downloads()
	parts.previews, err = preview.New(ctx, preview.Dependencies{
		Entries: parts.entries, Links: links, Hosts: hosts, Datasets: content, Client: p.webClient(), Folder: filepath.Join(p.config.Data, "cache"),
		Downloads: preview.DatasetDownloads{For: who, Limit: limit}, Script: script, Public: p.publicURL, Publisher: p.publisher, Embedders: p.config.CORS.Origins,
		GitHubRaw: p.config.Code.CodeHost.GitHubRaw(), Bundled: content.notebooks(), Kept: content.kept, BundledAt: p.publicURL + demo.NotebookPath, Now: time.Now, Logger: p.logger,
	})
	if err != nil {
		return parts, err
	}
	p.close = append(p.close, parts.previews.Close)
	parts.covers = cover.New(ctx, cover.Options{
		Images: parts.previews.Images, Notebooks: parts.previews.Notebooks, Datasets: content, Hosts: hosts, Cache: coverCache, Now: time.Now, Logger: p.logger,
	})
	p.close = append(p.close, parts.covers.Close)
	parts.fair = fair.New(fair.Options{
		Entries: parts.entries, Versions: parts.entries.Versions(), Appearances: catalog.NewStore(p.db), Datasets: parts.previews.Datasets, Notebooks: parts.previews.Notebooks, Site: p.fairSite,
		AdminEmail: p.config.AdminEmail(), Now: time.Now,
	})
	parts.contribute = contribute.NewService(contribute.Dependencies{
		Entries: parts.entries, Hosts: hosts, DataCite: dataCite, DescriptorNames: p.config.Descriptor.Names,
		AdditionsPerHour: p.config.Limits.AdditionsPerHour, IsFrame: links.Frames.IsFrameURL,
		Sources: contribute.Sources{Archives: p.records, Data: catalog.NewStore(p.db), Now: time.Now},
	})
	parts.curation = curation.NewService(curation.NewStore(p.db), catalog.NewStore(p.db), parts.entries.Changed)
	return parts, nil
}
