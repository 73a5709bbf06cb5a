package app

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/content/kept"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/people/connections"
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

// codeHosts are the code hosts of this server, and what is needed to read private repositories there.
type codeHosts struct {
	*codehost.Hosts

	private map[string]codehost.PrivateHost // by the host of addresses
	connect []connections.Host              // with which people connect their accounts
	recheck map[string]time.Duration        // by the host of addresses
}

// hostOpener opens code hosts with what all of them share.
type hostOpener struct {
	*program

	cache *codehost.Cache
	git   codehost.GitOptions
}

// openCodeHosts returns the registry of code hosts, and DataCite, nil if it isn't asked.
func (p *program) openCodeHosts(files *kept.Files) (codeHosts, *codehost.DataCite, error) {
	cache, err := codehost.OpenCache(filepath.Join(p.config.Data, "cache", "codehost"), codeHostCache)
	if err != nil {
		return codeHosts{}, nil, err
	}
	clones, err := codehost.OpenClones(filepath.Join(p.config.Data, "cache", "clones"), codeHostClones, time.Now, p.logger)
	if err != nil {
		return codeHosts{}, nil, err
	}
	// Nobody reaches a private network through a host that isn't listed, even if operators allow that network.
	anywhere := safehttp.New(safehttp.Options{UserAgent: p.userAgent()})
	opener := hostOpener{p, cache, codehost.GitOptions{Clones: clones, Git: gitclient.Options{Web: anywhere, Logger: p.logger}, Now: time.Now, Logger: p.logger, Counter: p.metrics}}
	all := map[string]codehost.Host{}
	opened := codeHosts{private: map[string]codehost.PrivateHost{}, recheck: map[string]time.Duration{}}
	listed := p.config.Code.All()
	names := config.ConnectionNames(listed)
	for _, one := range listed {
		host, err := opener.open(one)
		if err != nil {
			return codeHosts{}, nil, err
		}
		p.metrics.KnowHosts(host.Services()...)
		address := strings.TrimPrefix(humanize.Host(one.URL), "www.")
		all[address], opened.recheck[address] = host, one.RecheckTime()
		opened.private[address] = opener.private(one, names[one.URL])
		connect, err := opener.connection(one, names[one.URL])
		if err != nil {
			return codeHosts{}, nil, err
		}
		opened.connect = append(opened.connect, connect)
	}
	own := codehost.Bundled{}
	if p.config.Demo {
		own = demo.Repositories()
	}
	all[humanize.Host(config.OriginOf(p.publicURL))] = kept.NewHost(files, own)
	var others codehost.Host
	if opener.git.Git.Check() == nil {
		others = codehost.NewGit(opener.git)
	}
	opened.Hosts = codehost.NewHosts(all, others)
	return opened, p.openDataCite(cache), nil
}

// client reaches a host. With http addresses, only those of operators.
func (o hostOpener) client(one config.OneCodeHost) *safehttp.Client {
	return safehttp.New(safehttp.Options{
		UserAgent: o.userAgent(), Allowed: o.config.Outgoing.Prefixes(),
		AllowHTTP: slices.ContainsFunc([]string{one.URL, one.APIURL, one.RawURL}, func(address string) bool { return strings.HasPrefix(address, "http:") }),
	})
}

// open opens a host as everybody sees it. A new kind of code host is a new line here and in kinds.
func (o hostOpener) open(one config.OneCodeHost) (openedHost, error) {
	token, err := one.Token()
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "codehosts: the token_file of %s cannot be read.", one.URL)
	}
	return o.openWith(one, codehost.Options{Token: token}, nil), nil
}

// openWith opens a host with a token and whose it is.
func (o hostOpener) openWith(one config.OneCodeHost, with codehost.Options, login *gitclient.Login) openedHost {
	with.Name, with.URL, with.APIURL, with.RawURL = one.Label(), one.URL, one.APIURL, one.RawURL
	with.Client, with.Cache, with.Now, with.Logger, with.Counter = o.client(one), o.cache, time.Now, o.logger, o.metrics
	switch one.Kind {
	case "github":
		return codehost.NewGitHub(with)
	case "gitlab":
		return codehost.NewGitLab(with)
	case "forgejo", "gitea":
		return codehost.NewGitea(with)
	}
	git := o.git
	git.Name, git.URL, git.Git.Web, git.Account, git.Login = one.Label(), one.URL, with.Client, with.Account, login
	if one.Kind == "bitbucket" {
		git.FilesURL = "/src"
	}
	return codehost.NewGit(git)
}

// private says how private repositories of a host are read.
func (o hostOpener) private(one config.OneCodeHost, connection string) codehost.PrivateHost {
	login := func(token string) gitclient.Login { return codehost.LoginOf(one.Kind, token) }
	git := o.git.Git
	git.Web = o.client(one)
	return codehost.PrivateHost{
		Connection: connection, Login: login, Git: git,
		Open: func(account, token string, refused func()) codehost.Host {
			asked := login(token)
			return o.openWith(one, codehost.Options{Token: token, Account: account, Refused: refused}, &asked)
		},
	}
}

// connection says how people connect their accounts at a host.
func (o hostOpener) connection(one config.OneCodeHost, name string) (connections.Host, error) {
	secret, err := one.ClientSecret()
	if err != nil {
		return connections.Host{}, fault.Wrap(err, fault.Invalid, "codehosts: the client_secret_file of %s cannot be read.", one.URL)
	}
	return codehost.ConnectionOf(codehost.ConnectionOptions{
		Kind: one.Kind, Name: name, Label: one.Label(), URL: one.URL, APIURL: one.APIURL, ClientID: one.OAuth.ClientID, ClientSecret: secret,
		RedirectURL: o.publicURL + "/account/connected", Client: o.client(one),
	}), nil
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
