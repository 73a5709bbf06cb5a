package safehttp

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cairn/internal/foundation/fault"

	"code.dny.dev/ssrf"
)

// addressLimit is the maximum length that common servers and browsers accept.
const addressLimit = 2_000

// azureHost is the host below each virtual machine of a large provider: it serves metadata, but its address counts as
// public.
var azureHost = netip.MustParsePrefix("168.63.129.16/32")

// newGuard returns the check of the IP addresses that are dialed. Ports are checked before, in addresses.
func newGuard(allowed []netip.Prefix) *ssrf.Guardian {
	var v4, v6 []netip.Prefix
	for _, prefix := range allowed {
		if prefix.Addr().Is4() {
			v4 = append(v4, prefix)
		} else {
			v6 = append(v6, prefix)
		}
	}
	return ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...),
		ssrf.WithDeniedV4Prefixes(azureHost))
}

// Check returns what is wrong with an address before it is requested (Invalid), for forms and imports. Only dialing
// shows whether it leads to the public internet.
func (c *Client) Check(address string) error {
	_, err := c.parse(address)
	return err
}

func (c *Client) parse(address string) (*url.URL, error) {
	if len(address) > addressLimit {
		return nil, refused("The address %s is too long: the limit is %d characters.", shown(address), addressLimit)
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" {
		return nil, refused("%s isn't a web address.", shown(address))
	}
	parsed.Fragment = ""
	return parsed, c.check(parsed)
}

func (c *Client) check(address *url.URL) error {
	trusted := c.options.trusted != nil && address.Scheme == c.options.trusted.Scheme &&
		strings.EqualFold(HostAndPort(address), HostAndPort(c.options.trusted))
	switch {
	case address.Scheme == "http" && !c.options.AllowHTTP && !trusted:
		return refused("The address of %s must begin with https:// for this use.", shown(address.Hostname()))
	case address.Scheme != "http" && address.Scheme != "https", address.Opaque != "", !isHost(address.Hostname()):
		return refused("%s isn't a web address.", shown(address.Redacted()))
	case address.User != nil:
		return refused("The address of %s can't contain a user name or a password.", shown(address.Hostname()))
	}
	if port := address.Port(); port != "" && !trusted && !webPort(port) {
		return refused("Port %s of %s isn't a web server's port.", shown(port), shown(address.Hostname()))
	}
	return nil
}

// isHost rejects what isn't a host name: empty text, anything that isn't text, and zones of addresses, which only exist
// on this machine.
func isHost(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return r == '%' || !unicode.IsGraphic(r) })
}

// webPort accepts the two ports of the web, and those that any user of a machine may open. The others belong to
// services that could mistake a request for commands, such as mail.
func webPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && (port == 80 || port == 443 || port >= 1024)
}

// refused returns the fault for an address that isn't requested.
func refused(format string, arguments ...any) *fault.Fault {
	return fault.New(fault.Invalid, format, arguments...)
}

// shown shortens a part of an address for a message, and keeps only visible characters.
func shown(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if runes := []rune(text); len(runes) > 100 {
		text = string(runes[:100]) + "…"
	}
	return text
}
