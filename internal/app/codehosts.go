package app

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/site/demo"
)

// Bytes on disk.
const (
	codeHostCache  = 200_000_000   // of answers of code hosts
	codeHostClones = 5_000_000_000 // of repositories that are read with git
)

// openedHost is a code host that metrics know.
type openedHost interface {
	codehost.Host

	Services() []string
}

// openCodeHosts returns the registry of code hosts, and DataCite, nil if it isn't asked.
func (p *program) openCodeHosts() (*codehost.Hosts, *codehost.DataCite, error) {
	cache, err := codehost.OpenCache(filepath.Join(p.config.Data, "cache", "codehost"), codeHostCache)
	if err != nil {
		return nil, nil, err
	}
	clones, err := codehost.OpenClones(filepath.Join(p.config.Data, "cache", "clones"), codeHostClones, time.Now, p.logger)
	if err != nil {
		return nil, nil, err
	}
	client := func(addresses ...string) *safehttp.Client {
		return safehttp.New(safehttp.Options{
			UserAgent: p.userAgent(), Allowed: p.config.Outgoing.Prefixes(),
			AllowHTTP: slices.ContainsFunc(addresses, func(address string) bool { return strings.HasPrefix(address, "http:") }),
		})
	}
	options := func(url, apiURL, rawURL, token string) codehost.Options {
		return codehost.Options{
			URL: url, APIURL: apiURL, RawURL: rawURL, Token: token, Client: client(url, apiURL, rawURL), Cache: cache, Now: time.Now, Logger: p.logger, Counter: p.metrics,
		}
	}
	// Nobody reaches a private network through a host that isn't listed, even if operators allow that network.
	anywhere := safehttp.New(safehttp.Options{UserAgent: p.userAgent()})
	git := codehost.GitOptions{Clones: clones, Git: gitclient.Options{Web: anywhere, Logger: p.logger}, Now: time.Now, Logger: p.logger, Counter: p.metrics}
	bitbucket := git
	bitbucket.Name, bitbucket.URL, bitbucket.FilesURL = "Bitbucket", codehost.PublicBitbucket, "/src"
	configured := p.config.Code.CodeHost.GitHub
	address := cmp.Or(configured.URL, codehost.PublicGitHub)
	hosts := map[string]openedHost{
		humanize.Host(codehost.PublicGitHub):    codehost.NewGitHub(options("", "", "", "")),
		humanize.Host(codehost.PublicGitLab):    codehost.NewGitLab(options("", "", "", "")),
		humanize.Host(codehost.PublicForgejo):   codehost.NewGitea(options("", "", "", "")),
		humanize.Host(codehost.PublicBitbucket): codehost.NewGit(bitbucket),
	}
	hosts[humanize.Host(address)] = codehost.NewGitHub(options(address, configured.APIURL, configured.RawURL, configured.Token))
	for _, one := range p.config.Code.CodeHosts {
		opened, err := openCodeHost(one, options, git)
		if err != nil {
			return nil, nil, err
		}
		hosts[strings.TrimPrefix(humanize.Host(one.URL), "www.")] = opened
	}
	all := map[string]codehost.Host{}
	for name, one := range hosts {
		p.metrics.KnowHosts(one.Services()...)
		all[name] = one
	}
	if p.config.Demo {
		all[humanize.Host(config.OriginOf(p.publicURL))] = codehost.Bundled(demo.Repositories())
	}
	var others codehost.Host
	if git.Git.Check() == nil {
		others = codehost.NewGit(git)
	}
	return codehost.NewHosts(all, others), p.openDataCite(cache), nil
}

// openCodeHost opens a host that operators named. A new kind of code host is a new line here.
func openCodeHost(one config.OneCodeHost, options func(url, apiURL, rawURL, token string) codehost.Options, git codehost.GitOptions) (openedHost, error) {
	token, err := one.Token()
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "codehosts: the token_file of %s cannot be read.", one.URL)
	}
	with := options(one.URL, cmp.Or(one.APIURL, one.URL+map[string]string{"gitlab": codehost.GitLabAPI, "forgejo": codehost.GiteaAPI, "gitea": codehost.GiteaAPI}[one.Kind]), "", token)
	with.Name = one.Name
	switch one.Kind {
	case "github":
		with.APIURL = one.APIURL
		return codehost.NewGitHub(with), nil
	case "gitlab":
		return codehost.NewGitLab(with), nil
	case "forgejo", "gitea":
		return codehost.NewGitea(with), nil
	case "bitbucket":
		git.FilesURL = "/src"
	}
	git.Name, git.URL = one.Name, one.URL
	git.Git.Web = with.Client
	return codehost.NewGit(git), nil
}

// openDataCite returns DataCite; nil if it isn't asked.
func (p *program) openDataCite(cache *codehost.Cache) *codehost.DataCite {
	address := p.config.DataCite.APIURL
	if address == "" {
		return nil
	}
	return codehost.NewDataCite(codehost.DataCiteOptions{
		APIURL: address, Cache: cache, Now: time.Now, Logger: p.logger,
		Client: safehttp.New(safehttp.Options{UserAgent: p.userAgent(), Allowed: p.config.Outgoing.Prefixes(), AllowHTTP: strings.HasPrefix(address, "http:")}),
	})
}
