package config

import (
	"net"
	"path/filepath"
	"slices"
	"strings"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/humanize"
)

// anyHost lists the hosts with which a listener takes all addresses of this machine.
var anyHost = []string{"", "0.0.0.0", "::"}

// Listener is a listener's key, flag and address.
type Listener struct{ Key, Flag, Address string }

// Listeners returns the listeners of the page and of the session origin.
func (c Config) Listeners() []Listener {
	return []Listener{{"listen", "--listen", c.Listen}, {"session_listen", "--session-listen", c.SessionListen}}
}

// UnixPrefix begins an address that is a socket in the file system.
const UnixPrefix = "unix:"

// ListenFaults returns what is wrong with the addresses of the listeners, on any machine.
func (c Config) ListenFaults() []string {
	var faults []string
	var hosts, ports []string
	for _, one := range c.Listeners() {
		host, port, err := net.SplitHostPort(one.Address)
		if err == nil {
			_, err = net.LookupPort("tcp", port) //nolint:noctx // it reads numbers, and a file at most
		}
		if err != nil {
			faults = append(faults, one.Key+": "+humanize.Quote(one.Address)+" must be host:port with a port from 1 to 65535, such as 127.0.0.1:8080")
			continue
		}
		hosts, ports = append(hosts, strings.ToLower(host)), append(ports, port)
	}
	if len(ports) == 2 && ports[0] == ports[1] && ports[0] != "0" &&
		(hosts[0] == hosts[1] || slices.Contains(anyHost, hosts[0]) || slices.Contains(anyHost, hosts[1])) {
		faults = append(faults, "session_listen: "+humanize.Quote(c.SessionListen)+" must have another port than listen, such as 127.0.0.1:8081")
	}
	return faults
}

// PublicAddress returns where browsers find the page, which listens on an address of this machine.
func (c Config) PublicAddress(listening string) string {
	if c.PublicURL != "" {
		return strings.TrimSuffix(c.PublicURL, "/")
	}
	return c.TLS.Scheme() + "://" + Reachable(c.Listen, listening)
}

// SessionAddress returns the template of the session origin, which listens on an address of this machine.
func (c Config) SessionAddress(listening string) string {
	if c.SessionURL != "" {
		return c.SessionURL
	}
	_, port, _ := net.SplitHostPort(listening)
	return c.TLS.Scheme() + "://{kind}-{id}.localhost:" + port
}

// ExampleOf returns an address that a template of the session origin makes.
func ExampleOf(template string) string {
	return strings.NewReplacer("{kind}", "s", "{id}", "x").Replace(template)
}

// Reachable returns an address for a program on this machine: the host that was asked for, with the port that is listened on.
func Reachable(wanted, listening string) string {
	host, _, _ := net.SplitHostPort(wanted)
	_, port, _ := net.SplitHostPort(listening)
	if slices.Contains(anyHost, host) {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(strings.ToLower(host), port)
}

// MetricsListener returns where metrics can be read, if anywhere.
func (c Config) MetricsListener() (Listener, bool) {
	return Listener{"metrics.listen", "metrics.listen", c.Metrics.Listen}, c.Metrics.Listen != ""
}

// MetricsFaults returns what is wrong with the address of the metrics.
func (c Config) MetricsFaults() []string {
	wanted := c.Metrics.Listen
	path, local := strings.CutPrefix(wanted, UnixPrefix)
	host, port, err := net.SplitHostPort(wanted)
	if err == nil {
		_, err = net.LookupPort("tcp", port) //nolint:noctx // it reads numbers, and a file at most
	}
	switch {
	case wanted == "" && c.Metrics.Pprof:
		return []string{"metrics.pprof: needs metrics.listen, such as 127.0.0.1:8082"}
	case wanted == "":
		return nil
	case local && !filepath.IsAbs(path):
		return []string{"metrics.listen: " + humanize.Quote(wanted) + " must have an absolute path, such as unix:/run/cairn/metrics.sock"}
	case local:
		return nil
	case err != nil:
		return []string{"metrics.listen: " + humanize.Quote(wanted) + " must be host:port, such as 127.0.0.1:8082, or unix:PATH"}
	case c.Metrics.Pprof && !httpapi.IsLoopback(host):
		return []string{"metrics.pprof: profiles can have secrets in them, so metrics.listen must be an address of this machine alone, such as 127.0.0.1:8082, or unix:PATH"}
	}
	for _, one := range c.Listeners() {
		otherHost, otherPort, err := net.SplitHostPort(one.Address)
		if err == nil && port == otherPort && port != "0" && (strings.EqualFold(host, otherHost) || slices.Contains(anyHost, host) || slices.Contains(anyHost, otherHost)) {
			return []string{"metrics.listen: " + humanize.Quote(wanted) + " must have another port than " + one.Key + ", such as 127.0.0.1:8082"}
		}
	}
	return nil
}
