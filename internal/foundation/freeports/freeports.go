// Package freeports finds ports for servers that must be told one before they start.
package freeports

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
)

// lowest is above the ports that browsers block.
const lowest = 20_000

// Find returns the first of count consecutive ports that nothing on the loopback address uses. They are outside the
// range that the system picks ports from, for port 0 and for outgoing connections, so they stay free until they are
// used: a server in Python takes seconds to listen.
func Find(ctx context.Context, count int) (int, error) {
	highest, err := lowestEphemeral()
	if err != nil {
		return 0, err
	}
	for range 50 {
		first := lowest + rand.IntN(highest-count-lowest) //nolint:gosec // only to meet nobody else's ports
		if areFree(ctx, first, count) {
			return first, nil
		}
	}
	return 0, errors.New("no ports are free")
}

func lowestEphemeral() (int, error) {
	content, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return 0, err
	}
	var port int
	if _, err := fmt.Sscan(string(content), &port); err != nil || port < lowest+1000 {
		return 0, fmt.Errorf("the system picks ports from %q on: there is no room below", content)
	}
	return port, nil
}

func areFree(ctx context.Context, first, count int) bool {
	for port := first; port < first+count; port++ {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return false
		}
		_ = listener.Close()
	}
	return true
}
