package app

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/content/kept"
	"cairn/internal/entries/archives"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/people/connections"
	"cairn/internal/sharing/deposits"
)

// openArchives returns the clients of the archives that are configured.
func (p *program) openArchives() []*archives.Client {
	clients := make([]*archives.Client, len(p.config.Keeping.Archives))
	for i, one := range p.config.Keeping.Archives {
		label := one.Label
		if label == "" {
			label = one.Name
		}
		clients[i] = archives.New(archives.Archive{Name: one.Name, Label: label, Kind: archives.Kind(one.Kind), URL: one.URL}, safehttp.New(safehttp.Options{
			UserAgent: p.userAgent(), Allowed: p.config.Outgoing.Prefixes(), AllowHTTP: strings.HasPrefix(one.URL, "http:"),
		}))
	}
	return clients
}

// newRecords returns what finds data by their DOIs: at the archives that everybody knows, or those that are configured instead.
func newRecords(c config.Config, web *safehttp.Client) *archives.Recent {
	asked := c.Keeping.Sources
	options := archives.RecordsOptions{DOIURL: asked.DOIURL, FigshareURL: asked.FigshareURL}
	if len(asked.Dataverse) > 0 {
		options.DataverseURLs = asked.Dataverse
	}
	for _, one := range c.Keeping.Archives {
		options.Archives = append(options.Archives, archives.Archive{Name: one.Name, Label: cmp.Or(one.Label, one.Name), Kind: archives.Kind(one.Kind), URL: one.URL})
	}
	options.Client = web
	return archives.NewRecent(archives.NewRecords(options))
}

// recordsWeb returns what asks these archives, and fetches their files.
func recordsWeb(c config.Config, userAgent string) *safehttp.Client {
	addresses := append([]string{c.Keeping.Sources.DOIURL, c.Keeping.Sources.FigshareURL}, c.Keeping.Sources.Dataverse...)
	for _, one := range c.Keeping.Archives {
		addresses = append(addresses, one.URL)
	}
	return safehttp.New(safehttp.Options{
		UserAgent: userAgent, Allowed: c.Outgoing.Prefixes(),
		AllowHTTP: slices.ContainsFunc(addresses, func(address string) bool { return strings.HasPrefix(address, "http:") }),
	})
}

// archiveHosts are the archives as services with which people connect their accounts.
func archiveHosts(clients []*archives.Client) (hosts []connections.Host) {
	for _, client := range clients {
		one := client.Archive
		host := connections.Host{Service: client, Name: one.Name, Label: one.Label, Kind: string(one.Kind), URL: one.URL}
		if one.Kind == archives.KindZenodo {
			host.TokenURL, host.Scopes = strings.TrimRight(one.URL, "/")+"/account/settings/applications/tokens/new/", []string{"deposit:write", "deposit:actions"}
		}
		hosts = append(hosts, host)
	}
	return hosts
}

// newDeposits connects entries with archives.
func (p *program) newDeposits(parts *features, clients []*archives.Client, files *kept.Files) error {
	folder := filepath.Join(p.config.Data, "cache", "deposits")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	parts.deposits = deposits.New(deposits.NewStore(p.db), deposits.Options{
		Entries: parts.entries, Versions: parts.entries.Versions(), Notes: catalog.NewStore(p.db), Tokens: parts.connections, Archives: clients,
		Describe: parts.fair, Callers: parts.accounts.Account, Public: p.publicURL, Folder: folder, Now: time.Now, Logger: p.logger,
		Files: func(_ context.Context, entry catalog.Entry) (string, bool, error) {
			found, ok := entry.Kept()
			if !ok {
				return "", false, nil
			}
			return files.Path(found.String())
		},
	})
	return nil
}
