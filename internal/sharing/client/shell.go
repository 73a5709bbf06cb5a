package client

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"cairn/internal/foundation/fault"

	"github.com/coder/websocket"
)

// ShellSuffix ends names of sessions that the configuration of ssh gives to this program, so that it knows them from hosts.
const ShellSuffix = ".cairn"

// Shell connects to the SSH server of a running session, whose id may end with ShellSuffix.
func (c *Client) Shell(ctx context.Context, session string) (net.Conn, error) {
	id := strings.TrimSuffix(session, ShellSuffix)
	var way struct{ URL, Ticket string }
	if err := c.call(ctx, http.MethodPost, "/sessions/"+url.PathEscape(id)+"/ssh", nil, nil, &way); err != nil {
		return nil, err
	}
	if c.base.Scheme == "https" && !strings.HasPrefix(way.URL, "wss://") {
		return nil, fault.New(fault.BadUpstream, "The server leads to an address without encryption, so the connection was refused.")
	}
	connection, answer, err := websocket.Dial(ctx, way.URL, &websocket.DialOptions{ //nolint:bodyclose // it closes the body itself
		HTTPClient: &http.Client{Transport: localTransport()}, HTTPHeader: http.Header{"Authorization": {"Bearer " + way.Ticket}},
	})
	switch {
	case err == nil:
		return websocket.NetConn(ctx, connection, websocket.MessageBinary), nil
	case answer != nil && answer.StatusCode == http.StatusConflict:
		return nil, fault.Wrap(err, fault.Conflict, "This session has no SSH server. Stop it and start it again.")
	case answer != nil:
		return nil, fault.Wrap(err, fault.BadUpstream, "The session's address answered %s instead of opening a connection.", answer.Status)
	default:
		return nil, fault.Wrap(err, fault.Unavailable, "The session's address can't be reached: %s", reason(err))
	}
}

// localTransport finds names below localhost on this machine, as browsers do (RFC 6761, 6.3) and resolvers often don't: sessions of
// a server without a domain have such names.
func localTransport() http.RoundTripper {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, port, err := net.SplitHostPort(address); err == nil && strings.HasSuffix(host, ".localhost") {
			address = net.JoinHostPort("localhost", port)
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	return transport
}

// Join copies what comes in to a connection and what comes from it out, until either has ended.
func Join(connection net.Conn, in io.Reader, out io.Writer) {
	go func() {
		_, _ = io.Copy(connection, in)
		_ = connection.Close()
	}()
	_, _ = io.Copy(out, connection)
	_ = connection.Close()
}
