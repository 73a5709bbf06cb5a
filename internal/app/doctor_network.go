package app

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

	"cairn/internal/httpapi"
	"cairn/internal/sqldb"

	"github.com/go-jose/go-jose/v4"
)

// renewTime is how long before its end a certificate should have been renewed.
const renewTime = 14 * 24 * time.Hour

// examineCertificate looks at the certificate of this server's own listeners.
func examineCertificate(_ context.Context, on *examined) (string, []finding) {
	if !on.config.TLS.on() {
		return "", nil
	}
	loaded, err := on.config.TLS.load()
	if err != nil {
		return "", findingsOf([]string{messageOf(err)})
	}
	file, now := on.config.TLS.CertFile, on.now()
	findings := lifeFindings(file, loaded.Leaf, now)
	if len(findings) == 0 {
		chain := x509.NewCertPool()
		for _, one := range loaded.Certificate[1:] {
			if parsed, err := x509.ParseCertificate(one); err == nil {
				chain.AddCert(parsed)
			}
		}
		if _, err := loaded.Leaf.Verify(x509.VerifyOptions{Intermediates: chain, CurrentTime: now}); err != nil {
			findings = append(findings, finding{
				"This machine doesn't trust the certificate " + file + ": " + oneLine(err.Error()) + ".",
				"Append the intermediate certificates to the file. The certificate of an authority of your own belongs into /usr/local/share/ca-certificates: update-ca-certificates.",
			})
		}
	}
	for _, address := range []string{on.config.publicAddress(on.config.Listen), exampleOf(on.config.sessionAddress(on.config.SessionListen))} {
		parsed, err := url.Parse(address)
		if err != nil || loaded.Leaf.VerifyHostname(parsed.Hostname()) == nil {
			continue
		}
		findings = append(findings, finding{
			"The certificate " + file + " isn't for " + parsed.Hostname() + ", so browsers refuse " + address + ".",
			"Get one with the names of public_url and session_url; for session_url that is a wildcard name.",
		})
	}
	return file + " ends on " + loaded.Leaf.NotAfter.Format(time.DateOnly), findings
}

// lifeFindings judges the time during which a certificate is valid.
func lifeFindings(of string, leaf *x509.Certificate, now time.Time) []finding {
	const renew = "Renew it; a running server reads changed files automatically."
	switch left := leaf.NotAfter.Sub(now); {
	case now.Before(leaf.NotBefore):
		return []finding{{"The certificate " + of + " begins on " + leaf.NotBefore.Format(time.DateTime+" MST") + ".", "Wait until then, or set this machine's clock."}}
	case left <= 0:
		return []finding{{"The certificate " + of + " ended on " + leaf.NotAfter.Format(time.DateOnly) + ".", renew}}
	case left < renewTime:
		return []finding{{fmt.Sprintf("The certificate %s ends on %s, in %d days.", of, leaf.NotAfter.Format(time.DateOnly), int(left.Hours()/24)), renew}}
	}
	return nil
}

// examinePublicAddress asks the running server as browsers do, through whatever is in front of it.
func examinePublicAddress(ctx context.Context, on *examined) (string, []finding) {
	if !on.running || on.config.PublicURL == "" {
		return "", nil
	}
	address := on.config.publicAddress(on.config.Listen)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/healthz", http.NoBody)
	if err != nil {
		return "", nil // the configuration was checked
	}
	const fix = "The proxy has to pass on to listen; this machine has to reach public_url and trust its certificate, because tokens of the embedded provider are checked there."
	response, err := on.client.Do(request)
	if err != nil {
		return "", []finding{{"No server answers at " + address + ": " + reasonOf(err) + ".", fix}}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", []finding{{"At " + address + " this server doesn't answer, but something else: " + response.Status + ".", fix}}
	}
	if response.TLS != nil && !on.config.TLS.on() {
		if findings := lifeFindings("of "+address, response.TLS.PeerCertificates[0], on.now()); len(findings) > 0 {
			return "", findings
		}
	}
	return "the server answers at " + address, nil
}

// examineNames resolves the names of public_url and of a session. Browsers know names below localhost without asking.
func examineNames(ctx context.Context, on *examined) (string, []finding) {
	var saw []string
	var findings []finding
	session := strings.NewReplacer("{kind}", "s", "{id}", sqldb.NewID()).Replace(on.config.sessionAddress(on.config.SessionListen))
	for _, one := range []struct{ address, key, entry string }{
		{on.config.publicAddress(on.config.Listen), "public_url", ""}, {session, "session_url", "*"},
	} {
		host, err := hostname(one.address)
		if err != nil || httpapi.IsLoopback(host) || net.ParseIP(host) != nil {
			continue
		}
		if err := on.resolve(ctx, host); err == nil {
			saw = append(saw, host)
			continue
		}
		entry := host
		if _, domain, found := strings.Cut(host, "."); found && strings.Contains(on.config.SessionURL, "{kind}-{id}.") && one.entry != "" {
			entry = "*." + domain
		}
		findings = append(findings, finding{
			"The name " + host + " of " + one.key + " leads nowhere.", "Add a DNS entry " + entry + " with the address of this server, or of the proxy in front of it.",
		})
	}
	if len(saw) == 0 {
		return "all are this machine's own", findings
	}
	return strings.Join(saw, " and ") + " can be resolved", findings
}

func hostname(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return parsed.Hostname(), nil
}

// clockLimit is by how much clocks may differ. Dates in answers have whole seconds.
const clockLimit = 5 * time.Second

// examineClock compares this machine's clock with those of the provider and of the database.
func examineClock(ctx context.Context, on *examined) (string, []finding) {
	var saw []string
	var findings []finding
	compare := func(whose string, theirs, began time.Time) {
		if theirs.IsZero() {
			return
		}
		ended := on.now()
		ahead := began.Add(ended.Sub(began) / 2).Sub(theirs)
		if ahead.Abs() <= clockLimit+ended.Sub(began)/2 {
			saw = append(saw, whose)
			return
		}
		direction := "ahead of"
		if ahead < 0 {
			direction = "behind"
		}
		findings = append(findings, finding{
			fmt.Sprintf("This machine's clock is %s %s that of %s.", ahead.Abs().Round(time.Second), direction, whose),
			"Set both by a time server: timedatectl set-ntp true, or apt-get install chrony.",
		})
	}
	if issuer := on.issuer(); issuer != "" {
		began := on.now()
		_, header, _ := fetchDiscovery(ctx, on.client, issuer)
		date, _ := http.ParseTime(header.Get("Date"))
		compare("the identity provider", date, began)
	}
	began := on.now()
	found, _ := sqldb.Inspect(ctx, on.config.databaseAddress(), false) // the start tells what is wrong
	compare("the database", found.Clock, began)
	if len(saw) == 0 {
		return "", findings
	}
	return "agrees with " + strings.Join(saw, " and "), findings
}

// issuer returns the external provider; "" for the embedded one.
func (on *examined) issuer() string { return strings.TrimSuffix(on.config.OIDC.Issuer, "/") }

// examineProvider reads what an external provider publishes.
func examineProvider(ctx context.Context, on *examined) (string, []finding) {
	issuer := on.issuer()
	if issuer == "" {
		return "the embedded one", nil
	}
	document, _, err := fetchDiscovery(ctx, on.client, issuer)
	if err == nil {
		_, err = endpointOrigins(issuer, document)
	}
	if err != nil {
		return "", []finding{{
			"The discovery document of " + issuer + " can't be used: " + oneLine(err.Error()) + ".",
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
		return "", []finding{{issuer + " offers no " + mode + ".", "Set oidc.token to what it offers: jwt, introspection or userinfo."}}
	}
	if mode != "jwt" {
		return issuer + " answers and offers " + mode, nil
	}
	count, err := countKeys(ctx, on.client, published.Keys)
	if err != nil {
		return "", []finding{{"The keys of " + issuer + " can't be read: " + oneLine(err.Error()) + ".", "Let this machine reach " + published.Keys + ", or set oidc.token to introspection."}}
	}
	return fmt.Sprintf("%s answers; its keys: %d", issuer, count), nil
}

// countKeys returns how many keys for signatures a provider publishes.
func countKeys(ctx context.Context, client *http.Client, address string) (count int, err error) {
	if address == "" {
		return 0, errors.New("there is no jwks_uri")
	}
	document, _, err := fetchDocument(ctx, client, address)
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
