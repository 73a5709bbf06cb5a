package idp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"cairn/internal/foundation/fault"
)

// supportedScopes returns the scopes that a request may name; others are ignored.
func supportedScopes() []string {
	return []string{oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeProfile, oidc.ScopeOfflineAccess}
}

// Client is another front end, a page without a secret: it signs people in by a code with PKCE.
type Client struct {
	ID           string
	Name         string   // as people know it; "": the host of its pages
	RedirectURIs []string // matched exactly
	Origins      []string // of its pages, which may call the endpoints, and to which a sign-out may return
}

// Check returns what is wrong with a client, by its fields.
func (c Client) Check() []fault.Field {
	var fields []fault.Field
	report := func(location, text string) {
		if text != "" {
			fields = append(fields, fault.Field{Location: location, Message: text})
		}
	}
	if !clientID.MatchString(c.ID) {
		report("client_id", fmt.Sprintf("%q must be 1 to 100 letters, digits, dots, hyphens and underscores.", c.ID))
	}
	if !utf8.ValidString(c.Name) || utf8.RuneCountInString(c.Name) > nameLimit || strings.ContainsFunc(c.Name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		report("name", fmt.Sprintf("%q must be at most %d visible characters.", c.Name, nameLimit))
	}
	if len(c.RedirectURIs) == 0 {
		report("redirect_uris", "Name at least one address that the browser returns to after a sign-in.")
	}
	for i, address := range c.RedirectURIs {
		report(fmt.Sprintf("redirect_uris[%d]", i), checkAddress(address))
	}
	for i, origin := range c.Origins {
		report(fmt.Sprintf("origins[%d]", i), checkOrigin(origin))
	}
	return fields
}

// nameLimit is the most characters of a client's name.
const nameLimit = 100

// place returns where people go who came from the client's pages.
func (c Client) place() place {
	home := originOf(append(slices.Clone(c.Origins), c.RedirectURIs...)[0]) // one is checked to be there
	name := strings.TrimSpace(c.Name)
	if name == "" {
		_, name, _ = strings.Cut(home, "://")
	}
	return place{Name: name, Address: home + "/"}
}

var clientID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

// checkClients reports what is wrong with the other clients.
func (o Options) checkClients(report func(location, format string, arguments ...any)) {
	seen := map[string]bool{o.ClientID: true}
	for i, one := range o.Clients {
		at := fmt.Sprintf("clients[%d].", i)
		for _, field := range one.Check() {
			report(at+field.Location, "%s", field.Message)
		}
		if seen[one.ID] {
			report(at+"client_id", "%q is there twice.", one.ID)
		}
		seen[one.ID] = true
	}
}

// redirectURIs returns the addresses to which a sign-in at any client returns.
func (o Options) redirectURIs() []string {
	addresses := slices.Clone(o.RedirectURIs)
	for _, one := range o.Clients {
		addresses = append(addresses, one.RedirectURIs...)
	}
	return addresses
}

// maySend reports whether pages of an origin may call the endpoints.
func (o Options) maySend(origin string) bool {
	return slices.Contains(o.AllowedOrigins, origin) ||
		slices.ContainsFunc(o.Clients, func(one Client) bool { return slices.Contains(one.Origins, origin) })
}

// ownClient returns the product's own client.
func (p *Provider) ownClient() client {
	return client{id: p.options.ClientID, home: p.home(), redirects: p.options.RedirectURIs, returns: p.options.PostLogoutRedirectURIs, login: p.options.Issuer + loginPath}
}

// home returns where the product is.
func (p *Provider) home() place {
	return place{Name: p.options.Product(), Address: originOf(p.options.Issuer) + "/"}
}

// client returns the client with this id; without one, its pages are the product's.
func (p *Provider) client(id string) (found client, ok bool) {
	found = p.ownClient()
	if id == found.id {
		return found, true
	}
	for _, one := range p.options.Clients {
		if one.ID != id {
			continue
		}
		found.id, found.home, found.redirects, found.returns = one.ID, one.place(), one.RedirectURIs, nil
		for _, origin := range one.Origins {
			found.returns = append(found.returns, origin, origin+"/")
		}
		return found, true
	}
	return client{home: p.home()}, false
}

// client is a client as the protocol library sees it: a page without a secret.
type client struct {
	id        string
	home      place
	redirects []string
	returns   []string // after a sign-out
	login     string   // address of the login page
}

func (c client) GetID() string                       { return c.id }
func (c client) RedirectURIs() []string              { return c.redirects }
func (c client) PostLogoutRedirectURIs() []string    { return c.returns }
func (c client) ApplicationType() op.ApplicationType { return op.ApplicationTypeUserAgent }
func (c client) AuthMethod() oidc.AuthMethod         { return oidc.AuthMethodNone }
func (c client) ResponseTypes() []oidc.ResponseType {
	return []oidc.ResponseType{oidc.ResponseTypeCode}
}
func (c client) AccessTokenType() op.AccessTokenType  { return op.AccessTokenTypeJWT }
func (c client) IDTokenLifetime() time.Duration       { return accessLifetime }
func (c client) LoginURL(string) string               { return c.login }
func (c client) IsScopeAllowed(string) bool           { return false }
func (c client) IDTokenUserinfoClaimsAssertion() bool { return true }
func (c client) ClockSkew() time.Duration             { return 0 }

// DevMode is true because plain http is fine on loopback; Options.check refuses it elsewhere.
func (c client) DevMode() bool { return true }

func (c client) GrantTypes() []oidc.GrantType {
	return []oidc.GrantType{oidc.GrantTypeCode, oidc.GrantTypeRefreshToken}
}

func (c client) RestrictAdditionalIdTokenScopes() func([]string) []string { return sameScopes }

func (c client) RestrictAdditionalAccessTokenScopes() func([]string) []string { return sameScopes }

func sameScopes(scopes []string) []string { return scopes }
