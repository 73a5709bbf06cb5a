package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Loopback is the address, on its own loopback, at which a box reaches what Box.Listening serves.
const Loopback = "127.0.0.1:3141"

// listenScript opens the listener of a box in the box's own network, where this server can't: only root may enter the
// network of another process, and an ordinary user's process with several threads can't enter its user namespace. It
// hands the listener out and becomes the command, which never sees the socket that it was handed through.
const listenScript = `import os, signal, socket, sys
host, port = sys.argv[1].split(":")
with socket.create_server((host, int(port)), backlog=64) as listener, socket.socket(fileno=4) as way:
    socket.send_fds(way, [b"."], [listener.fileno()])
for name in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(name, signal.SIG_DFL)
os.execv(sys.argv[2], sys.argv[2:])
`

func (s *Sandbox) listening(command []string) []string {
	return slices.Concat([]string{s.options.Python, "-I", "-S", "-c", listenScript, Loopback}, command)
}

// checkListening reports whether a box can have a listener.
func (s *Sandbox) checkListening(box Box) error {
	if box.Listening != nil && (!s.level.Mounts() || (box.Network != None && box.Network != "")) {
		return errors.New("only a box without a network of others can have a listener")
	}
	return nil
}

// socketPair returns two connected sockets.
func socketPair() (near, far *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(pair[0]), "near end"), os.NewFile(uintptr(pair[1]), "far end"), nil
}

// receiveListener returns the listener that a box hands out. Nothing but listenScript runs in the box until then.
func receiveListener(ctx context.Context, from *os.File) (net.Listener, error) {
	opened, err := net.FileConn(from)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	way, ok := opened.(*net.UnixConn)
	if !ok {
		return nil, fmt.Errorf("the listener of a box comes through %T", opened)
	}
	stop := context.AfterFunc(ctx, func() { _ = way.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	control := make([]byte, unix.CmsgSpace(4)) // one descriptor
	_, length, _, _, err := way.ReadMsgUnix(make([]byte, 1), control)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("the listener of a box: %w", err)
	}
	messages, err := unix.ParseSocketControlMessage(control[:length])
	if err != nil {
		return nil, err
	}
	if len(messages) != 1 {
		return nil, errors.New("the box ended before it listened")
	}
	descriptors, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(descriptors[0]), "listener")
	defer file.Close()
	return net.FileListener(file)
}
