package doctor

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/discovery"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb"

	"github.com/go-jose/go-jose/v4"
)

// renewTime is how long before its end a certificate should have been renewed.
const renewTime = 14 * 24 * time.Hour

// checkCertificate looks at the certificate of this server's own listeners.
func checkCertificate(_ context.Context, on *target) (string, []problem) {
	if !on.config.TLS.Enabled() {
		return "", nil
	}
	loaded, err := on.config.TLS.Load()
	if err != nil {
		return "", problemsOf([]string{fault.MessageOf(err)})
	}
	file, now := on.config.TLS.CertFile, on.now()
	problems := lifetimeProblems(file, loaded.Leaf, now)
	if len(problems) == 0 {
		chain := x509.NewCertPool()
		for _, one := range loaded.Certificate[1:] {
			if parsed, err := x509.ParseCertificate(one); err == nil {
				chain.AddCert(parsed)
			}
		}
		if _, err := loaded.Leaf.Verify(x509.VerifyOptions{Intermediates: chain, CurrentTime: now}); err != nil {
			problems = append(problems, problem{
				"This machine doesn't trust the certificate " + file + ": " + humanize.OneLine(err.Error()) + ".",
				"Append the intermediate certificates to the file. Put your own CA's certificate into /usr/local/share/ca-certificates, then run update-ca-certificates.",
			})
		}
	}
	for _, address := range []string{on.config.PublicAddress(on.config.Listen), config.ExampleOf(on.config.SessionAddress(on.config.SessionListen))} {
		parsed, err := url.Parse(address)
		if err != nil || loaded.Leaf.VerifyHostname(parsed.Hostname()) == nil {
			continue
		}
		problems = append(problems, problem{
			"The certificate " + file + " isn't for " + parsed.Hostname() + ", so browsers refuse " + address + ".",
			"Get one with the names of public_url and session_url; for session_url that is a wildcard name.",
		})
	}
	return file + " ends on " + loaded.Leaf.NotAfter.Format(time.DateOnly), problems
}

// lifetimeProblems judges the time during which a certificate is valid.
func lifetimeProblems(of string, leaf *x509.Certificate, now time.Time) []problem {
	const renew = "Renew it; a running server reads changed files automatically."
	switch left := leaf.NotAfter.Sub(now); {
	case now.Before(leaf.NotBefore):
		return []problem{{"The certificate " + of + " begins on " + leaf.NotBefore.Format(time.DateTime+" MST") + ".", "Wait until then, or set this machine's clock."}}
	case left <= 0:
		return []problem{{"The certificate " + of + " ended on " + leaf.NotAfter.Format(time.DateOnly) + ".", renew}}
	case left < renewTime:
		return []problem{{fmt.Sprintf("The certificate %s ends on %s, in %d days.", of, leaf.NotAfter.Format(time.DateOnly), int(left.Hours()/24)), renew}}
	}
	return nil
}

// checkPublicAddress asks the running server as browsers do, through whatever is in front of it.
func checkPublicAddress(ctx context.Context, on *target) (string, []problem) {
	if !on.running || on.config.PublicURL == "" {
		return "", nil
	}
	address := on.config.PublicAddress(on.config.Listen)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/healthz", http.NoBody)
	if err != nil {
		return "", nil // the configuration was checked
	}
	const fix = "The proxy has to pass on to listen; this machine has to reach public_url and trust its certificate, because tokens of the embedded provider are checked there."
	response, err := on.client.Do(request)
	if err != nil {
		return "", []problem{{"No server answers at " + address + ": " + humanize.Reason(err) + ".", fix}}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", []problem{{"At " + address + " this server doesn't answer, but something else: " + response.Status + ".", fix}}
	}
	if response.TLS != nil && !on.config.TLS.Enabled() {
		if problems := lifetimeProblems("of "+address, response.TLS.PeerCertificates[0], on.now()); len(problems) > 0 {
			return "", problems
		}
	}
	return "the server answers at " + address, nil
}

// checkNames resolves the names of public_url and of a session. Browsers know names below localhost without asking.
func checkNames(ctx context.Context, on *target) (string, []problem) {
	var summary []string
	var problems []problem
	session := strings.NewReplacer("{kind}", "s", "{id}", sqldb.NewID()).Replace(on.config.SessionAddress(on.config.SessionListen))
	for _, one := range []struct{ address, key, entry string }{
		{on.config.PublicAddress(on.config.Listen), "public_url", ""}, {session, "session_url", "*"},
	} {
		host := humanize.HostName(one.address)
		if host == "" || httpapi.IsLoopback(host) || net.ParseIP(host) != nil {
			continue
		}
		if err := on.resolve(ctx, host); err == nil {
			summary = append(summary, host)
			continue
		}
		entry := host
		if _, domain, found := strings.Cut(host, "."); found && strings.Contains(on.config.SessionURL, "{kind}-{id}.") && one.entry != "" {
			entry = "*." + domain
		}
		problems = append(problems, problem{
			"The name " + host + " of " + one.key + " leads nowhere.", "Add a DNS entry " + entry + " with the address of this server, or of the proxy in front of it.",
		})
	}
	if len(summary) == 0 {
		return "all are this machine's own", problems
	}
	return strings.Join(summary, " and ") + " can be resolved", problems
}

// clockLimit is by how much clocks may differ. Dates in answers have whole seconds.
const clockLimit = 5 * time.Second

// checkClock compares this machine's clock with those of the provider and of the database.
func checkClock(ctx context.Context, on *target) (string, []problem) {
	var summary []string
	var problems []problem
	compare := func(whose string, theirs, began time.Time) {
		if theirs.IsZero() {
			return
		}
		ended := on.now()
		ahead := began.Add(ended.Sub(began) / 2).Sub(theirs)
		if ahead.Abs() <= clockLimit+ended.Sub(began)/2 {
			summary = append(summary, whose)
			return
		}
		direction := "ahead of"
		if ahead < 0 {
			direction = "behind"
		}
		problems = append(problems, problem{
			fmt.Sprintf("This machine's clock is %s %s that of %s.", ahead.Abs().Round(time.Second), direction, whose),
			"Set both by a time server: timedatectl set-ntp true, or apt-get install chrony.",
		})
	}
	if issuer := on.issuer(); issuer != "" {
		began := on.now()
		_, header, _ := discovery.Fetch(ctx, on.client, issuer)
		date, _ := http.ParseTime(header.Get("Date"))
		compare("the identity provider", date, began)
	}
	began := on.now()
	found, _ := sqldb.Inspect(ctx, on.config.DatabaseAddress(), false) // the start tells what is wrong
	compare("the database", found.Clock, began)
	if len(summary) == 0 {
		return "", problems
	}
	return "agrees with " + strings.Join(summary, " and "), problems
}

// issuer returns the external provider; "" for the embedded one.
func (on *target) issuer() string { return strings.TrimSuffix(on.config.OIDC.Issuer, "/") }

// checkProvider reads what an external provider publishes.
func checkProvider(ctx context.Context, on *target) (string, []problem) {
	issuer := on.issuer()
	if issuer == "" {
		return "the embedded one", nil
	}
	document, _, err := discovery.Fetch(ctx, on.client, issuer)
	if err == nil {
		_, err = discovery.EndpointOrigins(issuer, document)
	}
	if err != nil {
		return "", []problem{{
			"The discovery document of " + issuer + " can't be used: " + humanize.OneLine(err.Error()) + ".",
			"Set oidc.issuer to exactly what the provider calls itself, and let this machine reach it.",
		}}
	}
	var published struct {
		Keys          string `json:"jwks_uri"`
		Introspection string `json:"introspection_endpoint"`
		Userinfo      string `json:"userinfo_endpoint"`
	}
	_ = json.Unmarshal(document, &published) // it was read above
	mode := on.config.OIDC.Token
	if missing := map[string]bool{"introspection": published.Introspection == "", "userinfo": published.Userinfo == ""}[mode]; missing {
		return "", []problem{{issuer + " offers no " + mode + ".", "Set oidc.token to what it offers: jwt, introspection or userinfo."}}
	}
	if mode != "jwt" {
		return issuer + " answers and offers " + mode, nil
	}
	count, err := countKeys(ctx, on.client, published.Keys)
	if err != nil {
		return "", []problem{{"The keys of " + issuer + " can't be read: " + humanize.OneLine(err.Error()) + ".", "Let this machine reach " + published.Keys + ", or set oidc.token to introspection."}}
	}
	return fmt.Sprintf("%s answers; its keys: %d", issuer, count), nil
}

// countKeys returns how many keys for signatures a provider publishes.
func countKeys(ctx context.Context, client *http.Client, address string) (count int, err error) {
	if address == "" {
		return 0, errors.New("there is no jwks_uri")
	}
	document, _, err := discovery.FetchDocument(ctx, client, address)
	if err != nil {
		return 0, err
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(document, &set); err != nil {
		return 0, err
	}
	for _, text := range set.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(text, &key) == nil && key.Use != "enc" && key.IsPublic() {
			count++
		}
	}
	if count == 0 {
		return 0, errors.New("there is none that signs")
	}
	return count, nil
}
