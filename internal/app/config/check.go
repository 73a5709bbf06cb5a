package config

import (
	"errors"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/content/preview"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/humanize"
	"cairn/internal/people/identity"
	"cairn/internal/people/idp"
	"cairn/internal/sessions/origin"
	"cairn/internal/site"
)

// Check validates the whole configuration in one pass, including the site file and the certificate: one Invalid fault reports
// everything that is wrong. Addresses that depend on the ports really taken are checked again once these are known.
func (c Config) Check() error { return Fault(c.AllFaults()) }

// AllFaults returns what Check reports, a sentence for each fault.
func (c Config) AllFaults() []string {
	if c.Reading.whole {
		return c.Reading.faults
	}
	faults := slices.Concat(c.Reading.faults, c.faults())
	if text := c.providerFault().Message; len(faults) == 0 && text != "" { // what no rule here foresees
		faults = append(faults, text)
	}
	if _, err := site.Load(c.Site); err != nil {
		faults = append(faults, fault.MessageOf(err))
	}
	left := leftOutFaults(reflect.ValueOf(c), "")
	for _, key := range slices.Sorted(maps.Keys(left)) { // in place of what the rules say of such a value
		faults = slices.DeleteFunc(faults, func(one string) bool { return strings.HasPrefix(one, key+": ") })
		faults = append(faults, key+": "+left[key])
	}
	return faults
}

// sharedText is said of the path form of session_url.
const sharedText = "with one host name for all sessions, code in each session can read and change the others that are open in the same " +
	"browser; a host name for each (https://{kind}-{id}.HOST with a wildcard name and certificate) prevents that."

// Warnings returns what operators should know of a configuration that is usable.
func (c Config) Warnings() []string {
	var warnings []string
	address, err := origin.ParseAddressTemplate(c.SessionURL, humanize.Host(c.PublicURL))
	if err == nil && address.Shared() {
		warnings = append(warnings, "session_url: "+sharedText)
	}
	if c.WithDemoDefaults().AdminEmail() == "" {
		warnings = append(warnings, "oai.admin_email: harvesters can't read the catalog, because the protocol tells them whom to ask. Set an e-mail address "+
			"here or in accounts.contact.")
	}
	if text := c.UploadsOff(); text != "" {
		warnings = append(warnings, "content.folder: "+text)
	}
	if text := c.secretWarning(); text != "" {
		warnings = append(warnings, text)
	}
	own := c.PublicAddress(c.Listen) // pages of a portal behind the same address need no permission
	for _, one := range c.IDP.Clients {
		for _, origin := range one.Origins {
			if origin != own && !slices.Contains(c.CORS.Origins, origin) {
				warnings = append(warnings, "idp.clients: pages of "+humanize.Quote(origin)+" can sign people in, but can't call the API or show notebooks: "+
					"it isn't in cors.origins.")
			}
		}
	}
	return warnings
}

func (c Config) faults() []string {
	var faults []string
	add := func(bad bool, text string) {
		if bad {
			faults = append(faults, text)
		}
	}
	if host, _, err := net.SplitHostPort(c.Listen); err == nil && c.PublicURL == "" {
		add(!httpapi.IsLoopback(host) && !slices.Contains(anyHost, host), "public_url: is needed when the page listens on "+humanize.Quote(c.Listen)+
			": https://HOST, because browsers allow sign-in on secure addresses only")
	}
	if c.PublicURL != "" {
		add(!IsOrigin(c.PublicURL), "public_url: "+humanize.Quote(c.PublicURL)+" must be https://HOST without a path (http only for a loopback host: "+
			"browsers allow sign-in on secure addresses only)")
	}
	if c.SessionURL != "" {
		address, err := origin.ParseAddressTemplate(c.SessionURL, humanize.Host(c.PublicAddress(c.Listen)))
		add(err != nil, errorText(err))
		add(err == nil && address.Shared() && !c.SharedSessions, "session_url: "+sharedText+" Where that is acceptable, set session_url_shared: true")
		add(err == nil && !secureOrLoopback(ExampleOf(c.SessionURL)), "session_url: "+humanize.Quote(c.SessionURL)+" must be https (http only for a loopback host or *.localhost)")
	}
	add(c.Data == "", "data: a folder is needed")
	add(!c.HasDatabaseKind(), "database_url: must begin with sqlite: or postgres://")
	faults = slices.Concat(faults, c.ListenFaults(), c.MetricsFaults(), c.TLS.faults(map[string]string{"public_url": c.PublicURL, "session_url": c.SessionURL}), c.identityFaults())

	add(c.OAI.AdminEmail != "" && !identity.ValidEmail(c.OAI.AdminEmail), "oai.admin_email: "+humanize.Quote(c.OAI.AdminEmail)+" must be an e-mail address")
	add(c.Sessions.Limit < 1, "sessions.limit: must be at least 1")
	add(len(c.Sessions.Engines) == 0, "sessions.engines: at least one engine is needed")
	add(c.DataCite.APIURL != "" && !isWebAddress(c.DataCite.APIURL), "datacite.api_url: "+humanize.Quote(c.DataCite.APIURL)+" must be a web address")
	faults = slices.Concat(faults, c.Sessions.SessionFaults(), c.Sessions.EngineFaults(), c.sessionsFolderFaults(), c.Code.faults(), c.secretFaults())
	for key, networks := range map[string][]string{"trusted_proxies": c.TrustedProxies, "outgoing.allow": c.Outgoing.Allow} {
		for _, network := range networks {
			_, err := netip.ParsePrefix(network)
			add(err != nil, key+": "+humanize.Quote(network)+" must be a network such as 10.1.0.0/16")
		}
	}
	for _, host := range c.Hosts {
		add(humanize.Host("http://"+host) != host || host == "", "hosts: "+humanize.Quote(host)+" must be a host as a browser would show it, such as catalog.internal or catalog.internal:8080")
	}
	_, ok := c.Disk.DiskReserve()
	add(!ok, "disk.reserve: "+humanize.Quote(c.Disk.Reserve)+" must be a part of the disk such as 5% (50% at most), or a size such as 20GiB")
	_, ok = c.Shutdown.NoticeTime()
	add(!ok, "shutdown.notice: "+humanize.Quote(c.Shutdown.Notice)+" must be a time from 0s to 5m, such as 5s")
	faults = slices.Concat(faults, c.Keeping.faults(), c.Runs.faults(c.Sessions.Engines), c.Jobs.faults(), c.Together.Sharing.faults(), c.Together.Workshops.faults())
	keep, err := ParseDuration(c.Audit.Keep)
	add(err != nil, "audit.keep: "+humanize.Quote(c.Audit.Keep)+" must be a time such as 90d or 1y, or never")
	add(err == nil && keep != 0 && keep < 24*time.Hour, "audit.keep: must be at least a day")
	who, downloads := c.Downloads()
	add(!slices.Contains([]string{preview.DownloadsForEveryone, preview.DownloadsForSignedIn, preview.NoDownloads}, who),
		"datasets.download: "+humanize.Quote(who)+" must be everyone, signed_in or none")
	add(downloads <= 0, "datasets.download_limit: "+humanize.Quote(c.Datasets.DownloadLimit)+" must be a size such as 20GiB")
	anonymous := c.Limits.Anonymous
	add(anonymous.Rate < 0, "limits.anonymous.rate: must be 0 (no limit) or a number of calls per second")
	add(anonymous.Rate > 0 && anonymous.Burst < 1, "limits.anonymous.burst: must be at least 1")
	add(c.Limits.AdditionsPerHour < 0, "limits.additions_per_hour: must be 0 (no limit) or a number of entries")
	add(len(c.Descriptor.Names) == 0, "descriptor.names: at least one name is needed")
	add(c.Workflow.URL != "" && !secureOrLoopback(strings.ReplaceAll(c.Workflow.URL, "{applicationInterfaceId}", "x")),
		"workflow.url: must be an https address")
	for _, origin := range c.CORS.Origins {
		add(!IsOrigin(origin), "cors.origins: "+humanize.Quote(origin)+" must be an origin such as https://catalog.example.org")
	}
	add(!slices.Contains([]string{"debug", "info", "warn", "error"}, c.Log.Level), "log.level: must be debug, info, warn or error")
	add(!slices.Contains([]string{"text", "json"}, c.Log.Format), "log.format: must be text or json")
	slices.Sort(faults)
	return faults
}

func (c Config) identityFaults() []string {
	var faults []string
	add := func(bad bool, text string) {
		if bad {
			faults = append(faults, text)
		}
	}
	host, _, err := net.SplitHostPort(c.Listen)
	add(err == nil && c.Demo && !c.Reading.DemoAnywhere && !httpapi.IsLoopback(host), "demo: anyone who can reach "+humanize.Quote(c.Listen)+
		" could sign in as anyone; listen on 127.0.0.1, or add --demo-anywhere if that's intended")
	embedded := c.OIDC.Issuer == ""
	add(embedded && !c.Demo && len(c.IDP.Accounts) == 0, "idp.accounts: no one could sign in: add accounts with password hashes, set "+
		"oidc.issuer to your institution's provider, or try --demo")
	for _, account := range c.IDP.Accounts {
		add(!validEmail(account.Email), "idp.accounts: "+humanize.Quote(account.Email)+" isn't an e-mail address")
	}
	faults = slices.Concat(faults, c.clientFaults(), c.providerFaults())
	add(!embedded && !secureOrLoopback(c.OIDC.Issuer), "oidc.issuer: "+humanize.Quote(c.OIDC.Issuer)+" must be an https address")
	add(c.OIDC.ClientID == "", "oidc.client_id: is needed")
	add(!slices.Contains(strings.Fields(c.OIDC.Scope), "openid"), "oidc.scope: must contain openid")
	add(!slices.Contains([]string{"jwt", "introspection", "userinfo"}, c.OIDC.Token), "oidc.token: must be jwt, introspection or userinfo")
	add(embedded && c.OIDC.Token != "jwt", "oidc.token: the embedded provider's tokens are jwt")
	add(c.OIDC.Token == "introspection" && c.OIDC.Introspection.ClientSecret == "",
		"oidc.introspection.client_secret: is needed, because providers answer introspection only for known clients")
	add(c.OIDC.EmailVerified != "claim" && c.OIDC.EmailVerified != "trust", "oidc.email_verified: must be claim or trust")
	for _, origin := range c.OIDC.Origins {
		add(!IsOrigin(origin), "oidc.origins: "+humanize.Quote(origin)+" must be an origin such as https://login.example.org")
	}
	mode := c.Accounts.Enable.Mode
	add(mode != "" && mode != "auto" && mode != "manual" && mode != "domains", "accounts.enable: must be auto, manual, or domains: [...]")
	add(mode == "domains" && len(c.Accounts.Enable.Domains) == 0, "accounts.enable: domains needs at least one domain")
	return faults
}

// clientFaults returns what is wrong with the other front ends at the embedded provider.
func (c Config) clientFaults() []string {
	if c.OIDC.Issuer != "" && len(c.IDP.Clients) > 0 {
		return []string{"idp.clients: are only for the embedded provider; register them at " + c.OIDC.Issuer}
	}
	var faults []string
	seen := []string{c.OIDC.ClientID}
	for _, one := range c.IDP.Clients {
		at := "idp.clients: " + humanize.Quote(one.ClientID) + ": "
		for _, field := range (idp.Client{ID: one.ClientID, Name: one.Name, RedirectURIs: one.RedirectURIs, Origins: one.Origins}).Check() {
			faults = append(faults, at+field.Location+": "+field.Message)
		}
		if slices.Contains(seen, one.ClientID) {
			faults = append(faults, at+"this client_id is used twice, or is the page's own (oidc.client_id)")
		}
		seen = append(seen, one.ClientID)
	}
	return faults
}

func validEmail(address string) bool { return identity.ValidEmail(identity.NormalizeEmail(address)) }

// accountField matches the place of what the embedded provider finds wrong with an account.
var accountField = regexp.MustCompile(`^accounts\[([0-9]+)\]\.(.+)$`)

// providerFaults returns what the embedded provider finds wrong with its accounts.
func (c Config) providerFaults() []string {
	var faults []string
	for _, field := range c.providerFault().Fields {
		found := accountField.FindStringSubmatch(field.Location)
		if found == nil {
			continue // other rules name it by its key
		}
		i, err := strconv.Atoi(found[1])
		if err != nil || i >= len(c.IDP.Accounts) {
			faults = append(faults, "idp.accounts: "+field.Message+" The demo brings it; leave it out.")
			continue
		}
		if email := c.IDP.Accounts[i].Email; found[2] != "email" || validEmail(email) {
			faults = append(faults, "idp.accounts: "+humanize.Quote(email)+": "+found[2]+": "+field.Message)
		}
	}
	return faults
}

// providerFault returns what the embedded provider would refuse at the start; an empty fault if nothing.
func (c Config) providerFault() *fault.Fault {
	if c.OIDC.Issuer != "" {
		return &fault.Fault{}
	}
	public := c.PublicAddress(c.Listen)
	found, ok := errors.AsType[*fault.Fault](c.ProviderOptions(public+EmbeddedProviderPath, public, nil).Check())
	if !ok {
		return &fault.Fault{}
	}
	return found
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// IsOrigin reports whether a text is only a scheme and a host, https or on a loopback host, written as browsers write
// it: origins are compared whole, and the libraries would accept a * in any text.
func IsOrigin(text string) bool { return text == OriginOf(text) && secureOrLoopback(text) }

// OriginOf returns the scheme and host of an address as browsers write them: in lower case, without the default port;
// "" if the text isn't an address.
func OriginOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return ""
	}
	host := strings.ToLower(parsed.Host)
	switch parsed.Scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return parsed.Scheme + "://" + host
}

// isWebAddress also admits http: an operator's package index may be in a private network.
func isWebAddress(address string) bool {
	parsed, err := url.Parse(address)
	return err == nil && (parsed.Scheme == "https" || parsed.Scheme == "http") && parsed.Hostname() != ""
}

func secureOrLoopback(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" || parsed.User != nil || strings.ContainsAny(address, " ;,*'\"") {
		return false
	}
	return parsed.Scheme == "https" || (parsed.Scheme == "http" && httpapi.IsLoopback(parsed.Hostname()))
}
