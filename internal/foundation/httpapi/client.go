package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

type sharedAddressKey struct{}

// ClientAddresses sets Request.RemoteAddr to the address of the client, with port 0 where a proxy named it: the rightmost
// address of X-Forwarded-For that isn't that of a trusted proxy. The header of a peer that isn't trusted is ignored,
// because anybody can send it.
func ClientAddresses(trusted []netip.Prefix, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if forwarded := r.Header.Values("X-Forwarded-For"); len(forwarded) > 0 {
			r = addressed(r, forwarded, trusted)
		}
		next.ServeHTTP(w, r)
	})
}

// addressed returns a request that came through proxies, with the address of its client.
func addressed(r *http.Request, forwarded []string, trusted []netip.Prefix) *http.Request {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r
	}
	address := peer.Addr().Unmap()
	if len(trusted) == 0 && (address.IsLoopback() || address.IsPrivate()) {
		r = r.WithContext(context.WithValue(r.Context(), sharedAddressKey{}, true))
	}
	if client := clientBehind(address, forwarded, trusted); client != address {
		r = r.WithContext(r.Context()) // a copy
		r.RemoteAddr = netip.AddrPortFrom(client, 0).String()
	}
	return r
}

// clientBehind follows the addresses that each proxy added, from the last one on, as long as trusted proxies wrote them.
func clientBehind(peer netip.Addr, forwarded []string, trusted []netip.Prefix) netip.Addr {
	client := peer
	for _, text := range slices.Backward(strings.Split(strings.Join(forwarded, ","), ",")) {
		if !slices.ContainsFunc(trusted, func(network netip.Prefix) bool { return network.Contains(client) }) {
			break
		}
		next, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			break // a trusted proxy also forwards values that it can't parse
		}
		client = next.Unmap().WithZone("")
	}
	return client
}

// sharedAddress reports whether a request came through a proxy that the configuration doesn't name, so that its address
// may stand for any number of people.
func sharedAddress(ctx context.Context) bool {
	shared, _ := ctx.Value(sharedAddressKey{}).(bool)
	return shared
}

// ClientNetwork returns what counts as one household or host: the IPv4 address of Request.RemoteAddr, or for IPv6 its
// /64 network.
func ClientNetwork(remote string) string {
	address, err := netip.ParseAddr(hostOf(remote))
	if err != nil {
		return remote
	}
	address = address.Unmap().WithZone("")
	if address.Is4() {
		return address.String()
	}
	return netip.PrefixFrom(address, 64).Masked().String()
}

// hostOf returns an address without its port.
func hostOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	return host
}
