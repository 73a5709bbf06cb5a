package idp

import (
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"

	"golang.org/x/text/unicode/norm"
)

// Account is a person who can sign in. Email is lower-case; PasswordHash is an argon2id hash in PHC form or a bcrypt
// hash, and may be empty only where accounts are chosen from a list.
type Account struct {
	Email        string
	Name         string
	PasswordHash string
}

// Options configure a provider. New checks all of them.
type Options struct {
	// Issuer is the address of the provider: https, or http on a loopback host. Its path is where Handler answers.
	Issuer string
	// ClientID is the id of the product's own client, a page without a secret.
	ClientID string
	// Audience is added to the audience of access tokens; ID tokens are only for the client.
	Audience string
	// RedirectURIs and PostLogoutRedirectURIs are matched exactly. Without any, only AccessToken issues tokens.
	RedirectURIs           []string
	PostLogoutRedirectURIs []string
	// AllowedOrigins are the other origins whose pages may call the token, userinfo, keys and revocation endpoints.
	AllowedOrigins []string
	// Clients are other front ends, which sign in the same people.
	Clients  []Client
	Accounts []Account
	// ChooseAccount lets anybody sign in as any account without a password; only for the demo.
	ChooseAccount bool
	// Product returns the name on the login page and is called for each page; "Cairn" when nil.
	Product func() string
	// Style precedes the pages' own rules, and Mark returns their mark and its media type for each request, so that they
	// look like the product. Without Mark there is none.
	Style string
	Mark  func() (kind string, content []byte)
	// Dir holds keys and logins. It is created with mode 0700, and refused when others can access it.
	Dir string
	// Now is the clock; time.Now when nil.
	Now func() time.Time
	// Logger logs sign-ins and refusals, never a secret; nil logs nothing.
	Logger *slog.Logger
	// Counted is told how each attempt to sign in ended: ok, wrong or limited. Optional; nil disables metrics.
	Counted func(outcome string)
}

// issuerPath matches paths that need no escaping in an address or a route.
var issuerPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

// hostPort excludes characters that would end a source in a Content-Security-Policy.
var hostPort = regexp.MustCompile(`^[A-Za-z0-9.\-:\[\]]+$`)

// withDefaults sets omitted options and normalizes e-mails.
func (o Options) withDefaults() Options {
	if o.Product == nil {
		o.Product = func() string { return "Cairn" }
	}
	if o.Mark == nil {
		o.Mark = func() (string, []byte) { return "image/svg+xml", nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Accounts = slices.Clone(o.Accounts)
	for i := range o.Accounts {
		o.Accounts[i].Email = normalEmail(o.Accounts[i].Email)
		if o.Accounts[i].Name == "" {
			o.Accounts[i].Name = o.Accounts[i].Email
		}
	}
	return o
}

// Check reports all invalid options in one Invalid fault, as New does; each has a field.
func (o Options) Check() error { return o.withDefaults().check() }

func (o Options) check() error {
	var fields []fault.Field
	report := func(location, format string, arguments ...any) {
		fields = append(fields, fault.Field{Location: location, Message: fmt.Sprintf(format, arguments...)})
	}
	if problem := checkIssuer(o.Issuer); problem != "" {
		report("issuer", "%s", problem)
	}
	if o.ClientID == "" {
		report("client_id", "The client id is missing.")
	}
	if o.Dir == "" {
		report("dir", "The folder for the provider's keys is missing.")
	}
	o.checkClients(report)
	for name, addresses := range map[string][]string{
		"redirect_uris": o.RedirectURIs, "post_logout_redirect_uris": o.PostLogoutRedirectURIs,
	} {
		for i, address := range addresses {
			if problem := checkAddress(address); problem != "" {
				report(fmt.Sprintf("%s[%d]", name, i), "%s", problem)
			}
		}
	}
	for i, origin := range o.AllowedOrigins {
		if problem := checkOrigin(origin); problem != "" {
			report(fmt.Sprintf("allowed_origins[%d]", i), "%s", problem)
		}
	}
	o.checkAccounts(report)
	if len(fields) == 0 {
		return nil
	}
	slices.SortStableFunc(fields, func(a, b fault.Field) int { return strings.Compare(a.Location, b.Location) })
	messages := make([]string, len(fields))
	for i, field := range fields {
		messages[i] = field.Location + ": " + field.Message
	}
	problem := fault.New(fault.Invalid, "The settings of the embedded identity provider are wrong. %s",
		strings.Join(messages, " "))
	problem.Fields = fields
	return problem
}

func (o Options) checkAccounts(report func(location, format string, arguments ...any)) {
	if len(o.Accounts) == 0 {
		report("accounts", "At least one account is needed.")
	}
	seen := map[string]bool{}
	for i, account := range o.Accounts {
		at := fmt.Sprintf("accounts[%d]", i)
		switch local, domain, found := strings.Cut(account.Email, "@"); {
		case !found || local == "" || domain == "" || strings.ContainsAny(account.Email, " \t\r\n<>,"):
			report(at+".email", "%q is not an e-mail address.", account.Email)
		case seen[account.Email]:
			report(at+".email", "%s is there twice.", account.Email)
		}
		seen[account.Email] = true
		if account.PasswordHash == "" && o.ChooseAccount {
			continue
		}
		if problem := checkHash(account.PasswordHash); problem != "" {
			report(at+".password_hash", "%s", problem)
		}
	}
}

// checkIssuer returns what is wrong with an issuer, or "".
func checkIssuer(issuer string) string {
	if problem := checkAddress(issuer); problem != "" {
		return problem
	}
	parsed, err := url.Parse(issuer)
	if err != nil || parsed.RawQuery != "" || !issuerPath.MatchString(parsed.EscapedPath()) {
		return fmt.Sprintf("%q may have a plain path, but no query and no trailing slash.", issuer)
	}
	return ""
}

// checkAddress returns what is wrong with an absolute address, or "". Browsers protect secrets only over https and on
// the machine itself, so plain http is only for loopback hosts.
func checkAddress(address string) string {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Host == "" || !hostPort.MatchString(parsed.Host):
		return fmt.Sprintf("%q is not an absolute address such as https://catalog.example.org.", address)
	case parsed.User != nil || parsed.Fragment != "" || strings.ContainsAny(address, "*#"):
		return fmt.Sprintf("%q can't have a user name, a fragment or a wildcard.", address)
	case parsed.Scheme == "https", parsed.Scheme == "http" && httpapi.IsLoopback(parsed.Hostname()):
		return ""
	}
	return fmt.Sprintf("%q must be https; http is for loopback hosts such as 127.0.0.1 only.", address)
}

// checkOrigin returns what is wrong with an origin, or "".
func checkOrigin(origin string) string {
	if problem := checkAddress(origin); problem != "" {
		return problem
	}
	if originOf(origin) != origin {
		return fmt.Sprintf("%q is not an origin; write it as %q.", origin, originOf(origin))
	}
	return ""
}

// originOf returns the scheme and host of a checked address.
func originOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Scheme + "://" + parsed.Host
}

func normalEmail(email string) string {
	return strings.ToLower(norm.NFC.String(strings.TrimSpace(email)))
}
