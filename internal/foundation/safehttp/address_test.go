package safehttp

import (
	"encoding/binary"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

// FuzzGuard compares the check of IP addresses with what the standard library and the forms that carry an IPv4 address
// say: nothing private may pass, however it is written.
func FuzzGuard(f *testing.F) {
	for _, seed := range []string{
		"127.0.0.1", "8.8.8.8", "10.0.0.1", "169.254.169.254", "100.64.0.1", "::1", "::", "::ffff:10.0.0.1", "64:ff9b::a00:1",
		"2002:a00:1::", "2001::a00:1", "fd00::1", "fe80::1", "ff02::1", "2606:4700::1111", "168.63.129.16", "1.1.1.1", "172.32.0.1",
	} {
		f.Add(netip.MustParseAddr(seed).AsSlice())
	}
	guard := newGuard(nil)
	f.Fuzz(func(t *testing.T, bytes []byte) {
		ip, ok := netip.AddrFromSlice(bytes)
		if !ok || guard.SafeAddr(ip) != nil {
			return
		}
		for _, meant := range append(carried(ip), ip) {
			if meant.IsPrivate() || meant.IsLoopback() || meant.IsLinkLocalUnicast() || meant.IsMulticast() || meant.IsUnspecified() ||
				!meant.IsGlobalUnicast() || netip.MustParsePrefix("100.64.0.0/10").Contains(meant) {
				t.Errorf("%s passes, and means %s", ip, meant)
			}
		}
	})
}

// carried returns the IPv4 addresses inside an IPv6 one, as gateways would unpack them: mapped, NAT64 and 6to4.
func carried(ip netip.Addr) []netip.Addr {
	if ip.Is4() {
		return nil
	}
	bytes := ip.As16()
	switch {
	case ip.Is4In6(), netip.MustParsePrefix("64:ff9b::/95").Contains(ip), netip.MustParsePrefix("::/96").Contains(ip):
		return []netip.Addr{netip.AddrFrom4([4]byte(bytes[12:]))}
	case binary.BigEndian.Uint16(bytes[:]) == 0x2002:
		return []netip.Addr{netip.AddrFrom4([4]byte(bytes[2:6]))}
	}
	return nil
}

// A proxy would dial for us: the check of IP addresses would look at the proxy's alone.
func TestNoProxyIsTakenFromTheEnvironment(t *testing.T) {
	if transport := New(Options{}).client.Transport.(*http.Transport); transport.Proxy != nil {
		t.Error("there is one")
	}
}

func TestPublicAddressesPass(t *testing.T) {
	guard := newGuard([]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32")})
	for address, want := range map[string]bool{
		"1.1.1.1": true, "8.8.8.8": true, "172.32.0.1": true, "2606:4700::1111": true, "2a00:1450:4001::1": true,
		"10.1.2.3": true, "10.2.2.3": false, "fd00:1::5": true, "fd00:2::5": false, "2606:4700::1111%eth0": false,
	} {
		if got := guard.SafeAddr(netip.MustParseAddr(address)) == nil; got != want {
			t.Errorf("%s passes: %v", address, got)
		}
	}
}

// FuzzAddress looks for texts that pass as https addresses without being one, and for faults without a sentence.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{
		"https://example.org/a?b#c", "http://example.org", "https://u:p@h/", "https://[::1]:443/", "https://h:0x50/", "https:///x", "https://h\\@e/",
		"https://%6c%6f/", "https://\u3002/", "HTTPS://H", "https://h:80:90/", "//h", "https://h?@e", "https://[fe80::1%25en0]/", "https://[::1%25en\x96]", "\x00", "https://\xff",
	} {
		f.Add(seed)
	}
	client := New(Options{})
	f.Fuzz(func(t *testing.T, text string) {
		err := client.Check(text)
		if err != nil {
			message := fault.MessageOf(err)
			if fault.KindOf(err) != fault.Invalid || !strings.HasSuffix(message, ".") || strings.ContainsAny(message, "\r\n\x00") || len(message) > 800 {
				t.Errorf("%q: %q", text, message)
			}
			return
		}
		parsed, err := url.Parse(text)
		if err != nil || parsed.Scheme != "https" || parsed.User != nil || parsed.Hostname() == "" || len(text) > addressLimit {
			t.Errorf("%q passes as %+v", text, parsed)
		}
		again, err := url.Parse(parsed.String())
		if err != nil || again.Hostname() != parsed.Hostname() || again.Port() != parsed.Port() {
			t.Errorf("%q is read as %+v and then as %+v", text, parsed, again)
		}
	})
}
