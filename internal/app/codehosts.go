package app

import (
	"cmp"
	"path/filepath"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/site/demo"
)

// codeHostCache limits the cache of answers of code hosts, in bytes on disk.
const codeHostCache = 200_000_000

// openCodeHosts returns the registry of code hosts, and DataCite, nil if it isn't asked. A new kind of code host is a new line here.
func (p *program) openCodeHosts() (*codehost.Hosts, *codehost.DataCite, error) {
	cache, err := codehost.OpenCache(filepath.Join(p.config.Data, "cache", "codehost"), codeHostCache)
	if err != nil {
		return nil, nil, err
	}
	configured := p.config.CodeHost.GitHub
	options := codehost.Options{
		URL: cmp.Or(configured.URL, codehost.PublicGitHub), APIURL: configured.APIURL, RawURL: configured.RawURL, Token: configured.Token,
		Client: safehttp.New(safehttp.Options{
			UserAgent: p.userAgent(), Allowed: p.config.Outgoing.Prefixes(),
			AllowHTTP: strings.HasPrefix(configured.APIURL, "http:") || strings.HasPrefix(configured.RawURL, "http:"),
		}),
		Cache: cache, Now: time.Now, Logger: p.logger, Counter: p.metrics,
	}
	public := codehost.Options{Client: options.Client, Cache: cache, Now: time.Now, Logger: p.logger, Counter: p.metrics}
	known, own := codehost.NewGitHub(public), codehost.NewGitHub(options)
	p.metrics.KnowHosts(known.Services()...)
	p.metrics.KnowHosts(own.Services()...)
	hosts := map[string]codehost.Host{humanize.Host(codehost.PublicGitHub): known}
	hosts[humanize.Host(options.URL)] = own
	names := []string{humanize.Host(codehost.PublicGitHub)}
	if own := humanize.Host(options.URL); own != names[0] {
		names = append(names, own)
	}
	if p.config.Demo {
		hosts[humanize.Host(config.OriginOf(p.publicURL))] = codehost.Bundled(demo.Repositories())
	}
	var dataCite *codehost.DataCite
	if address := p.config.DataCite.APIURL; address != "" {
		dataCite = codehost.NewDataCite(codehost.DataCiteOptions{
			APIURL: address, Cache: cache, Now: time.Now, Logger: p.logger,
			Client: safehttp.New(safehttp.Options{UserAgent: p.userAgent(), Allowed: p.config.Outgoing.Prefixes(), AllowHTTP: strings.HasPrefix(address, "http:")}),
		})
	}
	return codehost.NewHosts(hosts, names...), dataCite, nil
}
