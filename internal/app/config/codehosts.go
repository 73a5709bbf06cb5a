package config

import (
	"cmp"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/secrets"
)

// GitHubRaw returns the address of github.com's raw files; "" for the public default.
func (c CodeHost) GitHubRaw() string {
	if cmp.Or(c.GitHub.URL, codehost.PublicGitHub) != codehost.PublicGitHub {
		return "" // the configured one belongs to another server
	}
	return c.GitHub.RawURL
}

// CodeHosting says where repositories are read.
type CodeHosting struct {
	CodeHost  CodeHost      `yaml:"codehost"`
	CodeHosts []OneCodeHost `yaml:"codehosts"`
	Secrets   Secrets       `yaml:"secrets"`
}

// Secrets say with what the tokens of people's connections are encrypted.
type Secrets struct {
	KeyFile string `yaml:"key_file"` // identities of age, one a line; "": one server makes its own in the data folder
}

// CodeHost says how GitHub is reached.
type CodeHost struct {
	GitHub struct {
		URL    string `yaml:"url"` // of its pages; empty: https://github.com
		APIURL string `yaml:"api_url"`
		RawURL string `yaml:"raw_url"`
		Token  string `yaml:"token" secret:"true"`
	} `yaml:"github"`
}

// OneCodeHost is a code host beside those that are known anyway.
type OneCodeHost struct {
	Kind      string `yaml:"kind"` // one of CodeHostKinds
	Name      string `yaml:"name"` // what people call it; "": the host of its address
	URL       string `yaml:"url"`  // https://HOST, or http on a loopback address
	APIURL    string `yaml:"api_url"`
	RawURL    string `yaml:"-"` // of GitHub's raw files; only of the one that codehost.github names
	TokenFile string `yaml:"token_file"`
	OAuth     struct {
		ClientID         string `yaml:"client_id"` // "": people paste personal tokens
		ClientSecretFile string `yaml:"client_secret_file"`
	} `yaml:"oauth"`
	token   string // of codehost.github
	Recheck string `yaml:"recheck"` // for how long the host's answer is believed who can read a private repository; "": 5m
}

// The limits of OneCodeHost.Recheck.
const (
	leastRecheck = 10 * time.Second
	mostRecheck  = 5 * time.Minute
)

// RecheckTime returns for how long an answer about who can read is believed.
func (h OneCodeHost) RecheckTime() time.Duration { return cmp.Or(Duration(h.Recheck), mostRecheck) }

// ConnectionNames returns the names of hosts in calls about connections, by their addresses: the one that operators gave, else the kind, or
// the host of the address where that is taken. The first hosts are those that are known anyway.
func ConnectionNames(hosts []OneCodeHost) map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	for _, one := range hosts {
		name := cmp.Or(one.Name, one.Kind)
		if taken[name] {
			name = humanize.Host(one.URL)
		}
		names[one.URL], taken[name] = name, true
	}
	return names
}

// CodeHostKinds are the kinds of code hosts. Gitea is Forgejo's ancestor, and has the same API.
var CodeHostKinds = []string{"github", "gitlab", "forgejo", "gitea", "bitbucket", "git"}

var codeHostName = regexp.MustCompile(`^[\pL\pN][\pL\pN ._-]{0,39}$`)

// publicHosts are the hosts that are known anyway, with what people call them.
var publicHosts = []OneCodeHost{
	{Kind: "github", URL: codehost.PublicGitHub},
	{Kind: "gitlab", URL: codehost.PublicGitLab},
	{Kind: "forgejo", URL: codehost.PublicForgejo},
	{Kind: "bitbucket", URL: codehost.PublicBitbucket},
}

// All returns all hosts, each address once: those that operators list take the place of those that are known anyway.
func (c CodeHosting) All() []OneCodeHost {
	github := c.CodeHost.GitHub
	first := OneCodeHost{Kind: "github", URL: cmp.Or(github.URL, codehost.PublicGitHub), APIURL: github.APIURL, RawURL: github.RawURL, token: github.Token}
	all := slices.Clone(publicHosts)
	for _, one := range append([]OneCodeHost{first}, c.CodeHosts...) {
		at := slices.IndexFunc(all, func(known OneCodeHost) bool { return sameHost(known.URL, one.URL) })
		if at < 0 {
			all = append(all, one)
		} else {
			all[at] = one
		}
	}
	return all
}

func sameHost(one, other string) bool {
	return strings.TrimPrefix(humanize.Host(one), "www.") == strings.TrimPrefix(humanize.Host(other), "www.")
}

// Label returns what people call the host; "" for the usual name.
func (h OneCodeHost) Label() string {
	if h.Name == "" && h.Kind == "bitbucket" && h.URL == codehost.PublicBitbucket {
		return "Bitbucket"
	}
	return h.Name
}

// Token returns the token of a host; "" for none.
func (h OneCodeHost) Token() (string, error) {
	if h.TokenFile == "" {
		return h.token, nil
	}
	content, err := os.ReadFile(h.TokenFile)
	return strings.TrimSpace(string(content)), err
}

func (h OneCodeHost) fault(taken map[string]bool) string {
	token, err := h.Token()
	switch {
	case !slices.Contains(CodeHostKinds, h.Kind):
		return "kind: " + humanize.Quote(h.Kind) + " isn't a kind of code host; the kinds are: " + strings.Join(CodeHostKinds, ", ")
	case !IsOrigin(h.URL):
		return "url: " + humanize.Quote(h.URL) + " must be https://HOST without a path"
	case taken[humanize.Host(h.URL)]:
		return "url: " + humanize.Quote(h.URL) + " is listed twice"
	case h.Name != "" && !codeHostName.MatchString(h.Name):
		return "name: " + humanize.Quote(h.Name) + " must be at most 40 letters, digits and spaces"
	case h.APIURL != "" && !secureOrLoopback(h.APIURL):
		return "api_url: " + humanize.Quote(h.APIURL) + " must be an https address"
	case h.APIURL != "" && (h.Kind == "git" || h.Kind == "bitbucket"):
		return "api_url: " + humanize.Quote(h.URL) + " is read with git alone"
	case h.TokenFile != "" && (h.Kind == "git" || h.Kind == "bitbucket"):
		return "token_file: " + humanize.Quote(h.URL) + " is read with git alone, without a token"
	case err != nil:
		return "token_file: it cannot be read: " + err.Error()
	case h.OAuth.ClientID != "" && h.Kind == "git":
		return "oauth: " + humanize.Quote(h.URL) + " is read with git alone, so people connect their accounts with a personal token"
	case h.OAuth.ClientID == "" && h.OAuth.ClientSecretFile != "":
		return "oauth: client_secret_file of " + humanize.Quote(h.URL) + " needs client_id"
	case h.secretFault() != "":
		return "oauth: client_secret_file: " + h.secretFault()
	case h.Recheck != "" && !validRecheck(h.Recheck):
		return "recheck: " + humanize.Quote(h.Recheck) + " must be a time from 10s to 5m"
	case h.TokenFile != "" && (token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })):
		return "token_file: it must have one line without spaces"
	}
	taken[humanize.Host(h.URL)] = true
	return ""
}

// ClientSecret returns the secret of OAuth; "" for none.
func (h OneCodeHost) ClientSecret() (string, error) {
	if h.OAuth.ClientSecretFile == "" {
		return "", nil
	}
	content, err := os.ReadFile(h.OAuth.ClientSecretFile)
	return strings.TrimSpace(string(content)), err
}

func (h OneCodeHost) secretFault() string {
	secret, err := h.ClientSecret()
	switch {
	case err != nil:
		return "it cannot be read: " + err.Error()
	case h.OAuth.ClientSecretFile != "" && secret == "":
		return "it is empty"
	}
	return ""
}

func validRecheck(text string) bool {
	length, err := ParseDuration(text)
	return err == nil && length >= leastRecheck && length <= mostRecheck
}

// KeyFile returns the file with the keys of people's connections. canMake is whether the server makes it where it isn't there; a path of ""
// means that there is none, because servers that share a database need the same one.
func (c Config) KeyFile() (path string, canMake bool) {
	if c.Code.Secrets.KeyFile != "" {
		return c.Code.Secrets.KeyFile, false
	}
	if len(c.SingleServerParts()) == 0 {
		return "", false
	}
	return filepath.Join(c.Data, SecretsFile), true
}

// SecretsFile is the name of the key file that a server makes in its data folder.
const SecretsFile = "secrets.key"

// secretFaults are about keys for connections that operators have asked for.
func (c Config) secretFaults() []string {
	path, _ := c.KeyFile()
	if path == "" && slices.ContainsFunc(c.Code.CodeHosts, func(one OneCodeHost) bool { return one.OAuth.ClientID != "" }) {
		return []string{"secrets.key_file: is needed for codehosts.oauth where several servers may share the database, with the same content on all of them; make one with age-keygen, mode 600"}
	}
	return nil
}

// secretWarning says why people can't connect accounts, though the server starts; "" if they can.
func (c Config) secretWarning() string {
	path, canMake := c.KeyFile()
	if path == "" {
		return "secrets.key_file: people can't connect their accounts at code hosts, because there is no key to encrypt the tokens with. Several servers need the same one; make it with age-keygen, mode 600."
	}
	if _, err := secrets.Open(path); err != nil && (!canMake || !errors.Is(err, fs.ErrNotExist)) {
		return "secrets.key_file: " + err.Error() + " Until then, people can't use their connections with code hosts."
	}
	return ""
}

func (c CodeHosting) faults() (faults []string) {
	add := func(isFault bool, text string) {
		if isFault {
			faults = append(faults, text)
		}
	}
	github := c.CodeHost.GitHub
	add(github.URL != "" && !IsOrigin(github.URL), "codehost.github.url: "+humanize.Quote(github.URL)+" must be https://HOST without a path")
	for key, value := range map[string]string{"api_url": github.APIURL, "raw_url": github.RawURL} {
		add(value != "" && !isWebAddress(value), "codehost.github."+key+": "+humanize.Quote(value)+" must be a web address")
		add(isWebAddress(value) && github.Token != "" && !secureOrLoopback(value),
			"codehost.github."+key+": "+humanize.Quote(value)+" must be an https address, because the token is sent there")
	}
	add(strings.ContainsFunc(github.Token, func(r rune) bool { return r <= ' ' || r > '~' }),
		"codehost.github.token: must be one line without spaces")
	taken := map[string]bool{}
	for _, one := range c.CodeHosts {
		if text := one.fault(taken); text != "" {
			faults = append(faults, "codehosts: "+text)
		}
	}
	return faults
}

// Hosts returns the hosts of addresses of repositories that people write without ".git".
func (c CodeHosting) Hosts() []string {
	hosts := []string{"github.com", "gitlab.com", "codeberg.org", "bitbucket.org"}
	if parsed, err := url.Parse(c.CodeHost.GitHub.URL); err == nil && parsed.Host != "" {
		hosts = append(hosts, humanize.Host(c.CodeHost.GitHub.URL))
	}
	for _, one := range c.CodeHosts {
		hosts = append(hosts, humanize.Host(one.URL))
	}
	return hosts
}
