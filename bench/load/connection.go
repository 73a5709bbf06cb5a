// Package load sends requests as fast as they are answered, and measures how long each takes. It shares the processors
// with the server that it measures, so it speaks HTTP/1.1 over its own connections with requests encoded beforehand,
// and decodes only as much of the answers as necessary.
package load

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

// answerTime is how long an answer may take before it counts as missing.
const answerTime = 30 * time.Second

// Connection is one kept-alive connection to a server.
type Connection struct {
	Buffer  int    // of what is read at once, in bytes; set before the first request
	Tag     string // of the last answer
	Address string
	conn    net.Conn
	reader  *bufio.Reader
	body    bytes.Buffer
}

// NewConnection returns a connection to a host and port, or to a Unix socket's absolute path. It opens at the first request.
func NewConnection(address string) *Connection {
	return &Connection{Address: address, Buffer: 64 << 10}
}

// Encode encodes a request with more headers. The token may be empty.
func Encode(method, address, path, token string, headers ...string) []byte {
	if token != "" {
		headers = append(headers, "Authorization: Bearer "+token)
	}
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\n%s\r\n\r\n",
		method, path, strings.Join(append(headers, "Host: "+address, "Accept: */*", "Content-Length: 0"), "\r\n"))
}

// Do sends an encoded request and reads the whole answer. The body is valid until the next call.
func (c *Connection) Do(ctx context.Context, request []byte) (status int, body []byte, err error) {
	if c.conn == nil {
		network := "tcp"
		if filepath.IsAbs(c.Address) {
			network = "unix"
		}
		if c.conn, err = (&net.Dialer{Timeout: answerTime}).DialContext(ctx, network, c.Address); err != nil {
			return 0, nil, err
		}
		c.reader = bufio.NewReaderSize(c.conn, c.Buffer)
	}
	status, keep, err := c.exchange(request)
	if err != nil || !keep {
		c.Close()
	}
	return status, c.body.Bytes(), err
}

func (c *Connection) exchange(request []byte) (status int, keep bool, err error) {
	if err := c.conn.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return 0, false, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return 0, false, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return 0, false, err
	}
	defer response.Body.Close()
	c.Tag = response.Header.Get("ETag")
	c.body.Reset()
	if _, err := io.Copy(&c.body, response.Body); err != nil {
		return 0, false, err
	}
	return response.StatusCode, !response.Close, nil
}

// Get asks for an address of the server without a token. An answer other than 200 is an error.
func (c *Connection) Get(ctx context.Context, path string) ([]byte, error) {
	status, body, err := c.Do(ctx, Encode(http.MethodGet, c.Address, path, ""))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s was answered %d: %.300s", path, status, body)
	}
	return body, err
}

// Close closes the connection; the next request opens another.
func (c *Connection) Close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
