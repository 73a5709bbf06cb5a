package installation

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"

	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
)

// Listen begins to listen. Its fault says why that isn't possible.
func Listen(ctx context.Context, l config.Listener) (net.Listener, error) {
	opened, err := listenAt(ctx, l.Address)
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
	return nil, fault.Wrap(err, fault.Conflict, "Can't listen on the address %s: %s. Choose another with %s.", l.Address, reason, l.Flag)
}

// listenAt opens an address. A socket in the file system that an ended server left is replaced.
func listenAt(ctx context.Context, address string) (net.Listener, error) {
	path, local := strings.CutPrefix(address, config.UnixPrefix)
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
