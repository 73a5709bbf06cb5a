package safehttp

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cairn/internal/fault"

	"code.dny.dev/ssrf"
)

// addressLimit is what common servers and browsers take.
const addressLimit = 2_000

// azureHost is the machine below each virtual one of a large provider: its metadata at an address that is public by
// its number.
var azureHost = netip.MustParsePrefix("168.63.129.16/32")

// newGuard creates the check of the IP addresses that are dialed. Ports are looked at in addresses, before.
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

// Check reports what is wrong with an address before anything is asked of it (Invalid), for forms and imports. That it
// leads to the public internet shows only when it is dialed.
func (c *Client) Check(address string) error {
	_, err := c.parse(address)
	return err
}

func (c *Client) parse(address string) (*url.URL, error) {
	if len(address) > addressLimit {
		return nil, refused("The address %s is too long: %d characters may be.", shown(address), addressLimit)
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" {
		return nil, refused("%s is no web address.", shown(address))
	}
	parsed.Fragment = ""
	return parsed, c.check(parsed)
}

func (c *Client) check(address *url.URL) error {
	trusted := c.options.trusted != nil && address.Scheme == c.options.trusted.Scheme &&
		strings.EqualFold(hostAndPort(address), hostAndPort(c.options.trusted))
	switch {
	case address.Scheme == "http" && !c.options.AllowHTTP && !trusted:
		return refused("The address of %s must begin with https:// for this use.", shown(address.Hostname()))
	case address.Scheme != "http" && address.Scheme != "https", address.Opaque != "", !isHost(address.Hostname()):
		return refused("%s is no web address.", shown(address.Redacted()))
	case address.User != nil:
		return refused("The address of %s must not hold a user name or a password.", shown(address.Hostname()))
	}
	if port := address.Port(); port != "" && !trusted && !webPort(port) {
		return refused("Port %s of %s is not one of a web server.", shown(port), shown(address.Hostname()))
	}
	return nil
}

// isHost refuses what no host is called: nothing, what is no text, and zones of addresses, which are of this machine alone.
func isHost(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return r == '%' || !unicode.IsGraphic(r) })
}

// webPort admits the two of the web, and those that any user of a machine may open. The others belong to services that
// may take what this server sends for words of their own, such as mail.
func webPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && (port == 80 || port == 443 || port >= 1024)
}

// refused is the fault of an address that is not asked.
func refused(format string, arguments ...any) *fault.Fault {
	return fault.New(fault.Invalid, format, arguments...)
}

// shown creates a piece of an address fit for a message: short, and nothing but what can be seen.
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
