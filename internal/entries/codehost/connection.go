package codehost

import (
	"cmp"
	"strings"
	"time"

	"cairn/internal/foundation/gitclient"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/people/connections"

	"golang.org/x/oauth2"
)

// ConnectionOptions say how people connect their accounts at a host.
type ConnectionOptions struct {
	Kind   string // as in the configuration
	Name   string // in calls
	Label  string // what people call it; "": the usual name
	URL    string // of its pages
	APIURL string // "": derived from URL

	ClientID, ClientSecret string // of OAuth; "": personal tokens alone
	RedirectURL            string

	Client *safehttp.Client
}

// kindOfHost is what the hosts of a kind have in common: the addresses below that of their pages, and the least rights with which repositories
// can be read.
type kindOfHost struct {
	public, label string // the address and the name of the public host
	api           string // "": none
	publicAPI     string // of the public host, if it is elsewhere

	authorize, token string   // of OAuth
	scopes           []string // that are asked for; GitHub has none that only reads
	personal         []string // that a personal token needs
	newToken, grants string   // pages
	style            oauth2.AuthStyle
}

//nolint:gosec // addresses and names of scopes, and no secrets
var kindsOfHosts = map[string]kindOfHost{
	"github": {
		public: PublicGitHub, label: "GitHub", api: "/api/v3", publicAPI: "https://api.github.com",
		authorize: "/login/oauth/authorize", token: "/login/oauth/access_token", scopes: []string{"repo"}, personal: []string{"Contents: read-only"},
		newToken: "/settings/personal-access-tokens/new", grants: "/settings/applications",
	},
	"gitlab": {
		public: PublicGitLab, label: "GitLab", api: GitLabAPI, authorize: "/oauth/authorize", token: "/oauth/token",
		scopes: []string{"read_api", "read_repository"}, personal: []string{"read_api", "read_repository"},
		newToken: "/-/user_settings/personal_access_tokens", grants: "/-/user_settings/applications",
	},
	"forgejo": giteaKind, "gitea": giteaKind,
	"bitbucket": {
		public: PublicBitbucket, label: "Bitbucket", api: "/2.0", publicAPI: "https://api.bitbucket.org/2.0",
		authorize: "/site/oauth2/authorize", token: "/site/oauth2/access_token", scopes: []string{"repository", "account"}, personal: []string{"repository"},
		grants: "/account/settings/app-authorizations/", style: oauth2.AuthStyleInHeader,
	},
	"git": {},
}

//nolint:gosec // likewise
var giteaKind = kindOfHost{
	public: PublicForgejo, label: "Codeberg", api: GiteaAPI, authorize: "/login/oauth/authorize", token: "/login/oauth/access_token",
	scopes: []string{"read:repository", "read:user"}, personal: []string{"read:repository", "read:user"},
	newToken: "/user/settings/applications", grants: "/user/settings/applications",
}

// oauthTime limits a question for tokens.
const oauthTime = 10 * time.Second

// ConnectionOf returns a host as one with which accounts are connected.
func ConnectionOf(options ConnectionOptions) connections.Host {
	kind, pages := kindsOfHosts[options.Kind], strings.TrimSuffix(options.URL, "/")
	api := options.APIURL
	if api == "" && pages == kind.public {
		api = kind.publicAPI
	}
	label := options.Label
	if label == "" && pages == kind.public {
		label = kind.label
	}
	label = cmp.Or(label, humanize.Host(pages))
	host := connections.Host{
		Service: Accounts{
			Kind: options.Kind, Name: label, URL: pages, APIURL: strings.TrimSuffix(cmp.Or(api, pages+kind.api), "/"), Client: options.Client,
			ClientID: options.ClientID, ClientSecret: options.ClientSecret,
		},
		Name: options.Name, Label: label, Kind: options.Kind, URL: pages, Scopes: kind.personal, Client: options.Client.Plain(oauthTime),
	}
	if kind.newToken != "" {
		host.TokenURL = pages + kind.newToken
	}
	if kind.grants != "" {
		host.GrantsURL = pages + kind.grants
	}
	if options.ClientID != "" {
		host.OAuth = &oauth2.Config{
			ClientID: options.ClientID, ClientSecret: options.ClientSecret, RedirectURL: options.RedirectURL, Scopes: kind.scopes,
			Endpoint: oauth2.Endpoint{AuthURL: pages + kind.authorize, TokenURL: pages + kind.token, AuthStyle: cmp.Or(kind.style, oauth2.AuthStyleInParams)},
		}
	}
	return host
}

// LoginOf returns how git says a token to a host of a kind. A token for plain git may have its user before a colon.
func LoginOf(kind, token string) gitclient.Login {
	switch kind {
	case "github":
		return gitclient.Login{User: "x-access-token", Password: token}
	case "gitlab":
		return gitclient.Login{User: "oauth2", Password: token}
	case "forgejo", "gitea":
		return gitclient.Login{User: token, Password: "x-oauth-basic"} //nolint:gosec // the token is the user
	case "bitbucket":
		if strings.HasPrefix(token, "ATATT") { // an API token of a person
			return gitclient.Login{User: "x-bitbucket-api-token-auth", Password: token}
		}
		return gitclient.Login{User: "x-token-auth", Password: token}
	}
	if user, password, ok := strings.Cut(token, ":"); ok {
		return gitclient.Login{User: user, Password: password}
	}
	return gitclient.Login{User: "git", Password: token}
}
