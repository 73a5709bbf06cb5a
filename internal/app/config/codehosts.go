package config

import (
	"cmp"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/humanize"
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
	TokenFile string `yaml:"token_file"`
}

// CodeHostKinds are the kinds of code hosts. Gitea is Forgejo's ancestor, and has the same API.
var CodeHostKinds = []string{"github", "gitlab", "forgejo", "gitea", "bitbucket", "git"}

var codeHostName = regexp.MustCompile(`^[\pL\pN][\pL\pN ._-]{0,39}$`)

// Token returns the token of a host; "" for none.
func (h OneCodeHost) Token() (string, error) {
	if h.TokenFile == "" {
		return "", nil
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
	case h.TokenFile != "" && (token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })):
		return "token_file: it must have one line without spaces"
	}
	taken[humanize.Host(h.URL)] = true
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
