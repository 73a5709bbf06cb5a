// Package client calls a Cairn server as its client: cairn search, cairn get and cairn run.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"cairn/internal/foundation/fault"
)

// The environment variables that say which server is called, and as whom.
const (
	AddressVariable   = "CAIRN_URL"
	TokenVariable     = "CAIRN_TOKEN"
	TokenFileVariable = "CAIRN_TOKEN_FILE" //nolint:gosec // a name, no secret
)

const (
	apiPath     = "/api/v1/rf"
	answerLimit = 64 << 20 // bytes of an answer that isn't a file
	// answerTime is how long the first byte of an answer may take.
	answerTime = 90 * time.Second
)

// Client calls one server. It follows no redirects: the token goes nowhere else.
type Client struct {
	base      *url.URL
	token     string
	userAgent string
	http      *http.Client
	interval  time.Duration // between looks at a session
}

// Open returns a client for the server and the token that environment variables name: Invalid if they can't be used. Without
// a token, calls are anonymous.
func Open(getenv func(string) string, version string) (*Client, error) {
	base, err := parseBase(getenv(AddressVariable))
	if err != nil {
		return nil, err
	}
	token, err := readToken(getenv)
	if err != nil {
		return nil, err
	}
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil, errors.New("the transport was replaced")
	}
	transport = transport.Clone()
	transport.ResponseHeaderTimeout = answerTime
	return &Client{
		base: base, token: token, userAgent: "cairn/" + version, interval: time.Second,
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

func parseBase(text string) (*url.URL, error) {
	if text == "" {
		return nil, fault.New(fault.Invalid, "Which server? Set %s to its address, such as https://catalog.example.org.", AddressVariable)
	}
	base, err := url.Parse(strings.TrimRight(text, "/"))
	switch {
	case err != nil || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" || base.Path != "":
		return nil, fault.New(fault.Invalid, "%s must be the address of the server's first page, such as https://catalog.example.org.", AddressVariable)
	case base.Scheme == "https", base.Scheme == "http" && loopback(base.Hostname()):
		return base, nil
	}
	return nil, fault.New(fault.Invalid, "%s must begin with https://: only on this machine itself may it be http://.", AddressVariable)
}

func loopback(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || (address != nil && address.IsLoopback())
}

// readToken returns the token of the environment, "" for none.
func readToken(getenv func(string) string) (string, error) {
	token, file := getenv(TokenVariable), getenv(TokenFileVariable)
	switch {
	case token != "" && file != "":
		return "", fault.New(fault.Invalid, "Set %s or %s, not both.", TokenVariable, TokenFileVariable)
	case file != "":
		content, err := os.ReadFile(file)
		if err != nil {
			return "", fault.Wrap(err, fault.Invalid, "The file that %s names can't be read. It must contain an access token.", TokenFileVariable)
		}
		token = string(content)
	}
	token = strings.TrimSpace(token)
	if strings.ContainsFunc(token, func(char rune) bool { return char <= ' ' || char > '~' }) || (file != "" && token == "") {
		return "", fault.New(fault.Invalid, "This isn't an access token. Create one on the page of the server, under Access tokens, and copy all of it.")
	}
	return token, nil
}

// Page returns the address of a page of the server.
func (c *Client) Page(path string) string { return c.base.String() + path }

// send sends a call. The body of an answer below 300 is the caller's to close; any other answer is a fault.
func (c *Client) send(ctx context.Context, method, path string, query url.Values, body any, headers ...string) (*http.Response, error) {
	address := c.base.String() + apiPath + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	content, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	if body == nil {
		content = nil
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", c.userAgent)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.http.Do(request)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "%s can't be reached: %s. Check %s and the network.", c.base, reason(err), AddressVariable)
	case response.StatusCode < http.StatusMultipleChoices:
		return response, nil
	}
	defer response.Body.Close()
	return nil, c.refusal(response)
}

// reason returns why a call failed, without its address.
func reason(err error) string {
	if found, ok := errors.AsType[*url.Error](err); ok {
		err = found.Err
	}
	return Printable(err.Error())
}

// refusal turns an answer into a fault that says what to do.
func (c *Client) refusal(response *http.Response) error {
	if where := response.Header.Get("Location"); where != "" {
		return fault.New(fault.Invalid, "%s leads to another address, %s. Set %s to the one that the server itself has.", c.base, Printable(where), AddressVariable)
	}
	var problem struct{ Code, Message string }
	text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if kind != "application/problem+json" || json.Unmarshal(text, &problem) != nil || problem.Message == "" {
		return c.noServer(response.StatusCode)
	}
	said := Printable(problem.Message)
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized && c.token == "":
		return fault.New(fault.Unauthenticated, "%s Create an access token at %s and put it in %s, or into a file that %s names.", said, c.Page("/account/tokens"), TokenVariable, TokenFileVariable)
	case status == http.StatusUnauthorized, problem.Code == string(fault.TokenScope):
		return fault.New(fault.Unauthenticated, "%s Your tokens are at %s.", said, c.Page("/account/tokens"))
	case status == http.StatusForbidden:
		return fault.New(fault.Forbidden, "%s", said)
	case status == http.StatusNotFound:
		return fault.New(fault.NotFound, "%s If it is private, the token must be of one of its authors.", said)
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return fault.New(fault.Unavailable, "%s", said)
	case status == http.StatusRequestedRangeNotSatisfiable:
		return errRange
	}
	return fault.New(fault.Conflict, "%s", said)
}

var errRange = errors.New("the server has no such part of the file")

func (c *Client) noServer(status int) error {
	if status == http.StatusRequestedRangeNotSatisfiable {
		return errRange
	}
	return fault.New(fault.BadUpstream, "%s isn't a Cairn server that this command understands (it answered with status %d). Check %s; an older server needs an older cairn.",
		c.base, status, AddressVariable)
}

// call sends a call and reads its answer.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, body, answer any, headers ...string) error {
	response, err := c.send(ctx, method, path, query, body, headers...)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The answer of %s was cut off. Try again.", c.base)
	}
	if json.Unmarshal(text, answer) != nil {
		return c.noServer(response.StatusCode)
	}
	return nil
}

// Printable returns a text of the server's for a terminal: on one line, and without what would control it.
func Printable(text string) string {
	return strings.Map(func(char rune) rune {
		switch {
		case unicode.IsSpace(char):
			return ' '
		case unicode.IsControl(char), unicode.Is(unicode.Cf, char):
			return -1
		}
		return char
	}, text)
}
