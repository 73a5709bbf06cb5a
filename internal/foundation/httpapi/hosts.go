package httpapi

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
)

// OwnHosts answers requests only under the names of this server, so that no page under another name can read what only
// a private network sees (DNS rebinding): the host of the public address and the others, and while the public address
// is loopback, every loopback name. A browser that opens a page under another name is redirected to the public address;
// its other requests are refused with 421.
func OwnHosts(public string, others []string, next http.Handler) http.Handler {
	address, err := url.Parse(public)
	if err != nil {
		panic(err) // the configuration was checked
	}
	accepted := append([]string{address.Host}, others...)
	loopback := IsLoopback(address.Hostname())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.HasPrefix(r.URL.RequestURI(), "/"): // after an origin it would be a part of its name
			writeFault(w, r, fault.New(fault.Malformed, "The target of this request isn't a path, which begins with a slash."))
		case slices.ContainsFunc(accepted, func(one string) bool { return strings.EqualFold(one, r.Host) }), loopback && IsLoopback(r.Host):
			next.ServeHTTP(w, r)
		case opensPage(r):
			http.Redirect(w, r, public+r.URL.RequestURI(), http.StatusTemporaryRedirect)
		default:
			refuseHost(w, r, public)
		}
	})
}

func refuseHost(w http.ResponseWriter, r *http.Request, public string) {
	writeFault(w, r, fault.New(fault.WrongHost, "This server doesn't answer to the name %s. Use %s.", fault.Quote(loggable(r.Host)), public))
}

// opensPage reports whether a browser is going to show the answer as a page.
func opensPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" {
		return mode == "navigate"
	}
	return strings.Contains(r.Header.Get("Accept"), "text/html") // browsers send no Sec-Fetch headers over plain http
}

// IsLoopback reports whether a host, with or without a port, leads to the machine itself. What isn't a host as a whole doesn't.
func IsLoopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Zone() == "" && ip.IsLoopback()
	}
	parsed, err := url.Parse("http://" + host) // checks the port
	if err != nil || parsed.Host != host || host == "" {
		return false
	}
	name := strings.ToLower(parsed.Hostname())
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && ip.Zone() == "" && ip.IsLoopback()
}
