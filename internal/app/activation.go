package app

import (
	"net"
	"os"
	"slices"
	"strings"

	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
)

// givenListeners are those that the program gets from whoever started it, such as systemd (socket activation). Its
// starter keeps them open, so connections wait there while one server ends and the next one starts. Nil: it listens by
// itself.
type givenListeners struct{ page, session net.Listener }

// The names of the sockets, in the order that counts when they have other names.
var socketNames = []string{"listen", "session_listen"}

// takeListeners turns the sockets that the program was started with into listeners, and closes the files.
func takeListeners(files []*os.File) (given givenListeners, err error) {
	names := make([]string, len(files))
	for i, file := range files {
		defer file.Close()
		names[i] = file.Name()
	}
	places, err := assignSockets(names)
	if err != nil {
		return given, err
	}
	defer func() {
		if err != nil {
			given.close()
		}
	}()
	for i, file := range files {
		listener, err := net.FileListener(file)
		if err != nil {
			return given, fault.Wrap(err, fault.Invalid, "The socket %s that this server was started with can't be listened on: %s.", names[i], humanize.Reason(err))
		}
		if places[i] == socketNames[0] {
			given.page = listener
		} else {
			given.session = listener
		}
		if _, ok := listener.(*net.TCPListener); !ok {
			return given, fault.New(fault.Invalid, "The socket %s that this server was started with isn't a TCP socket. "+
				"Write its address like ListenStream=127.0.0.1:8080.", names[i])
		}
	}
	return given, nil
}

// assignSockets returns for each socket which of socketNames it is for: what its name says, or if no name does, by order.
func assignSockets(names []string) ([]string, error) {
	known := func(name string) bool { return slices.Contains(socketNames, name) }
	if !slices.ContainsFunc(names, known) && len(names) <= len(socketNames) {
		return socketNames[:len(names)], nil
	}
	for i, name := range names {
		if !known(name) || slices.Contains(names[:i], name) {
			return nil, fault.New(fault.Invalid, "This server was started with the sockets %s. It takes one named listen and one named session_listen "+
				"(FileDescriptorName= in their units).", strings.Join(names, ", "))
		}
	}
	return names, nil
}

// listeningOn returns the configuration with the addresses of the given listeners, so that its rules hold for these.
func listeningOn(c config.Config, given givenListeners) config.Config {
	if given.page != nil {
		c.Listen = given.page.Addr().String()
	}
	if given.session != nil {
		c.SessionListen = given.session.Addr().String()
	}
	return c
}

func (g givenListeners) close() {
	for _, listener := range []net.Listener{g.page, g.session} {
		if listener != nil {
			_ = listener.Close()
		}
	}
}
