package config

import (
	"log/slog"
	"path/filepath"

	"cairn/internal/people/identity"
	"cairn/internal/people/idp"
	"cairn/internal/site/demo"
)

// EmbeddedProviderPath is where the embedded identity provider is, below the public address.
const EmbeddedProviderPath = "/idp"

// ProviderOptions returns the options of the embedded identity provider, for the server and for `cairn token`.
func (c Config) ProviderOptions(issuer, publicURL string, logger *slog.Logger) idp.Options {
	options := idp.Options{
		Issuer: issuer, ClientID: c.OIDC.ClientID, Audience: c.OIDC.Audience, ChooseAccount: c.Demo,
		RedirectURIs: []string{publicURL + "/oauth_callback"}, PostLogoutRedirectURIs: []string{publicURL + "/"},
		AllowedOrigins: []string{publicURL}, Dir: filepath.Join(c.Data, "idp"), Logger: logger,
	}
	for _, account := range c.IDP.Accounts {
		options.Accounts = append(options.Accounts, idp.Account(account))
	}
	for _, one := range c.IDP.Clients {
		options.Clients = append(options.Clients, idp.Client{ID: one.ClientID, Name: one.Name, RedirectURIs: one.RedirectURIs, Origins: one.Origins})
	}
	if c.Demo {
		for _, account := range demo.Accounts() {
			options.Accounts = append(options.Accounts, idp.Account{Email: account.Email, Name: account.Name})
		}
	}
	return options
}

// AccountPolicy returns who is enabled without a decision: nobody, unless the configuration says otherwise.
func (c Config) AccountPolicy() identity.Policy {
	policy := identity.Policy{Auto: c.Accounts.Enable.Mode == "auto"}
	for _, domain := range c.Accounts.Enable.Domains {
		policy.Domains = append(policy.Domains, identity.NormalizeEmail(domain))
	}
	policy.Hosts = c.Together.Workshops.hosts()
	return policy
}
