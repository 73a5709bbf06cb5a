package app

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"cairn/internal/fault"
	"cairn/internal/humanize"
	"cairn/internal/sessions"
)

// anyHost lists the hosts with which a listener takes all addresses of this machine.
var anyHost = []string{"", "0.0.0.0", "::"}

// listener is a listener's key, flag and address.
type listener struct{ key, flag, address string }

func (c Config) listeners() []listener {
	return []listener{{"listen", "--listen", c.Listen}, {"session_listen", "--session-listen", c.SessionListen}}
}

// listenOn begins to listen. Its fault says why that isn't possible.
func listenOn(ctx context.Context, l listener) (net.Listener, error) {
	opened, err := listenAt(ctx, l.address)
	if err == nil {
		return opened, nil
	}
	reason := humanize.Reason(err)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		reason = "another program uses it"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		reason = "this machine has no such address"
	case errors.Is(err, syscall.EACCES):
		reason = "ports below 1024 are for root, and for services with AmbientCapabilities=CAP_NET_BIND_SERVICE"
	}
	return nil, fault.Wrap(err, fault.Conflict, "Can't listen on the address %s: %s. Choose another with %s.", l.address, reason, l.flag)
}

// unixPrefix begins an address that is a socket in the file system.
const unixPrefix = "unix:"

// listenAt opens an address. A socket in the file system that an ended server left is replaced.
func listenAt(ctx context.Context, address string) (net.Listener, error) {
	path, local := strings.CutPrefix(address, unixPrefix)
	if !local {
		return (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	}
	opened, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return opened, err
	}
	answering, refused := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if refused == nil {
		return nil, errors.Join(err, answering.Close())
	}
	if !errors.Is(refused, syscall.ECONNREFUSED) || os.Remove(path) != nil { // it's no socket, or not ours
		return nil, err
	}
	return (&net.ListenConfig{}).Listen(ctx, "unix", path)
}

// listenFaults returns what is wrong with the addresses of the listeners, on any machine.
func (c Config) listenFaults() []string {
	var faults []string
	var hosts, ports []string
	for _, one := range c.listeners() {
		host, port, err := net.SplitHostPort(one.address)
		if err == nil {
			_, err = net.LookupPort("tcp", port) //nolint:noctx // it reads numbers, and a file at most
		}
		if err != nil {
			faults = append(faults, one.key+": "+humanize.Quote(one.address)+" must be host:port with a port from 1 to 65535, such as 127.0.0.1:8080")
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

// listen opens both listeners, unless they are given, and sets the addresses at which people find them.
func (p *program) listen(ctx context.Context, given givenListeners) (page, session net.Listener, err error) {
	opened := []net.Listener{given.page, given.session}
	for i, one := range p.config.listeners() {
		if opened[i] != nil {
			continue
		}
		listener, err := listenOn(ctx, one)
		if err != nil {
			return nil, nil, err
		}
		p.close = append(p.close, func() error { _ = listener.Close(); return nil }) // the server closes it first
		opened[i] = listener
	}
	page, session = opened[0], opened[1]
	p.publicURL = p.config.publicAddress(page.Addr().String())
	p.sessionURL = p.config.sessionAddress(session.Addr().String())
	p.address, err = sessions.ParseAddressTemplate(p.sessionURL, humanize.Host(p.publicURL))
	if err != nil {
		return nil, nil, err
	}
	p.issuer = strings.TrimSuffix(p.config.OIDC.Issuer, "/")
	if p.issuer == "" {
		p.issuer = p.publicURL + embeddedProviderPath
	}
	return page, session, nil
}

// publicAddress returns where browsers find the page, which listens on an address of this machine.
func (c Config) publicAddress(listening string) string {
	if c.PublicURL != "" {
		return strings.TrimSuffix(c.PublicURL, "/")
	}
	return c.TLS.scheme() + "://" + reachable(c.Listen, listening)
}

// sessionAddress returns the template of the session origin, which listens on an address of this machine.
func (c Config) sessionAddress(listening string) string {
	if c.SessionURL != "" {
		return c.SessionURL
	}
	_, port, _ := net.SplitHostPort(listening)
	return c.TLS.scheme() + "://{kind}-{id}.localhost:" + port
}

// exampleOf returns an address that a template of the session origin makes.
func exampleOf(template string) string {
	return strings.NewReplacer("{kind}", "s", "{id}", "x").Replace(template)
}

// reachable returns an address for a program on this machine: the host that was asked for, with the port that is listened on.
func reachable(wanted, listening string) string {
	host, _, _ := net.SplitHostPort(wanted)
	_, port, _ := net.SplitHostPort(listening)
	if slices.Contains(anyHost, host) {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(strings.ToLower(host), port)
}
