package jupyterhub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

const (
	callsAtOnce = 16       // connections to the hub, which has one thread for all of us
	pageSize    = 200      // users in a response, the hub's own limit
	answerLimit = 32 << 20 // size of a response
)

// client calls the hub's REST API.
type client struct {
	address   *url.URL // of the hub's proxy, without a trailing slash
	token     string
	transport *http.Transport
	callTime  time.Duration
	breaker   *breaker
	slots     chan struct{}
	told      func(text string) // takes what answers of the agent tell of a session
}

// refusal is an unsuccessful response of the hub.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return fmt.Sprintf("the hub answered %d: %s", r.status, r.message) }

// refusedBy returns the hub's refusal of a request; nil if there is none, also if the hub can't answer now or rejects
// our token, which says nothing about the request.
func refusedBy(err error) *refusal {
	if _, hindered := errors.AsType[*fault.Fault](err); hindered {
		return nil
	}
	found, _ := errors.AsType[*refusal](err)
	return found
}

// statusOf returns the status of a refusal, 0 for anything else.
func statusOf(err error) int {
	if found := refusedBy(err); found != nil {
		return found.status
	}
	return 0
}

// userPath is the path of a user's resource in the API.
func userPath(user string, more ...string) string {
	var path strings.Builder
	path.WriteString("/hub/api/users/" + url.PathEscape(user))
	for _, part := range more {
		path.WriteString("/" + url.PathEscape(part))
	}
	return path.String()
}

// call sends a request and decodes the response. Its error is Unavailable if the hub can't answer now, else a refusal.
func (c *client) call(ctx context.Context, method, path string, send, receive any) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.callTime)
	defer cancel()
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return 0, unreachable(ctx.Err())
	}
	response, err := c.open(ctx, method, path, send)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	defer func() { _, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) }()
	if receive != nil && response.StatusCode < 300 {
		if err := json.NewDecoder(io.LimitReader(response.Body, answerLimit)).Decode(receive); err != nil {
			return response.StatusCode, fault.Wrap(err, fault.Unavailable, "The hub's answer could not be read.")
		}
	}
	return response.StatusCode, nil
}

// open sends a request to the hub and returns the response, whose body the caller closes. Unsuccessful responses are
// errors; the breaker counts those that are the hub's fault.
func (c *client) open(ctx context.Context, method, path string, send any) (*http.Response, error) {
	if err := c.breaker.allow(); err != nil {
		return nil, err
	}
	response, err := c.send(ctx, method, path, send)
	if err != nil {
		if errors.Is(context.Cause(ctx), context.Canceled) {
			c.breaker.report(nil) // we canceled it ourselves, which says nothing about the hub
		} else {
			c.breaker.report(err)
		}
		return nil, err
	}
	switch {
	case response.StatusCode < 300:
		c.breaker.report(nil)
		return response, nil
	case response.StatusCode == http.StatusInternalServerError: // about the request, such as a spawner that fails
		err = unreachable(readRefusal(response))
		c.breaker.report(nil)
	case response.StatusCode == http.StatusTooManyRequests && method == http.MethodPost && strings.Contains(path, "/servers/"):
		err = readRefusal(response) // a full hub isn't a failing one
		c.breaker.report(nil)
	case response.StatusCode > http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests:
		err = unreachable(readRefusal(response))
		c.breaker.report(err)
	case response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden:
		err = fault.Wrap(readRefusal(response), fault.EngineUnavailable,
			"The hub doesn't let this server in: its token is wrong or lacks rights. Its operators can find out more with: cairn engine check")
		c.breaker.report(nil)
	default:
		said := readRefusal(response)
		if said.message == "" { // the hub always gives a reason; its proxy gives none if it knows no route to the hub, as while both start
			err = unreachable(fmt.Errorf("%d, and not by the hub", said.status))
			c.breaker.report(err)
			break
		}
		err = said
		c.breaker.report(nil)
	}
	return nil, err
}

// send sends a request as our service, without the breaker.
func (c *client) send(ctx context.Context, method, path string, send any) (*http.Response, error) {
	return c.sendWith(ctx, method, path, send, nil)
}

// sendWith is send with more headers.
func (c *client) sendWith(ctx context.Context, method, path string, send any, header http.Header) (*http.Response, error) {
	var body io.Reader = http.NoBody
	if send != nil {
		content, err := json.Marshal(send)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(content)
	}
	request, err := c.newRequest(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, header)
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, unreachable(err)
	}
	return response, nil
}

// newRequest returns a request as our service.
func (c *client) newRequest(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.address.String()+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "token "+c.token)
	request.Header.Set("Accept", "application/jupyterhub-pagination+json, application/json, text/event-stream")
	return request, nil
}

func unreachable(cause error) error {
	return fault.Wrap(cause, fault.EngineUnavailable, "The hub that runs sessions isn't responding. Sessions and their work are kept: try again in a while.")
}

func readRefusal(response *http.Response) *refusal {
	defer response.Body.Close()
	var said struct{ Message string }
	content, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	_ = json.Unmarshal(content, &said)
	return &refusal{status: response.StatusCode, message: said.Message}
}

// server is the hub's model of a named server.
type server struct {
	Name    string  `json:"name"`
	Ready   bool    `json:"ready"`
	Pending *string `json:"pending"`
	URL     string  `json:"url"`
	State   struct {
		Cairn *hookReport `json:"cairn"`
	} `json:"state"`
	UserOptions map[string]any `json:"user_options"`
}

func (s server) pending() string {
	if s.Pending == nil {
		return ""
	}
	return *s.Pending
}

// hookReport is what deploy/jupyterhub's hook reports about a launch.
type hookReport struct {
	Launch int64 `json:"launch"`
	Steps  []struct {
		Name   string `json:"name"`
		State  string `json:"state"`
		Detail string `json:"detail"`
	} `json:"steps"`
	Warning string   `json:"warning"`
	Exit    *int     `json:"exit"` // of the server; nil while it runs or if nobody saw it end
	Reason  string   `json:"reason"`
	Code    string   `json:"code"`    // of the reason
	Missing []string `json:"missing"` // ids of datasets
	Commit  string   `json:"commit"`  // that was checked out, in events
	Usage   *usage   `json:"usage"`   // nil if the hook can't measure, or didn't yet
	Log     string   `json:"log"`

	// Files are the texts of the files that the permit names, by name; nil: too long. Events have them, once the repository
	// is there; those of older hooks never do.
	Files map[string]*string `json:"files"`
	Asks  bool               `json:"asks"` // the launch waits for the packages to install
	Left  []engine.LeftOut   `json:"left"` // what of them it couldn't install, once that is known

	// LeftOut is all that the repository asks for and the session doesn't have, once that is known; those of older hooks never have it.
	LeftOut []engine.LeftOut `json:"leftOut"`
}

// installs reports whether the hook installs packages.
func (t *hookReport) installs() bool {
	for _, step := range t.Steps {
		if step.Name == string(engine.StepEnvironment) {
			return true
		}
	}
	return false
}

// usage is what a server uses, in bytes.
type usage struct {
	Memory int64 `json:"memory"`
	Peak   int64 `json:"peak"`
	Disk   int64 `json:"disk"`
}

// codes are those of the causes that the hook knows. What others send is ignored: it would end up in addresses and texts.
var codes = []diagnosis.Code{
	diagnosis.CloneRefused, diagnosis.CloneUnreachable, diagnosis.DatasetMissing, diagnosis.DiskFull, diagnosis.Evicted, diagnosis.IndexUnreachable,
	diagnosis.Memory, diagnosis.RefUnknown, diagnosis.ServerFault, diagnosis.Time, diagnosis.TooLarge,
}

// code returns the cause of a failure; "" if the hook doesn't know it.
func (t *hookReport) code() diagnosis.Code {
	if code := diagnosis.Code(t.Code); slices.Contains(codes, code) {
		return code
	}
	return ""
}

// active returns every server that is running or starting, by name, in as few calls as the hub allows.
func (c *client) active(ctx context.Context) (map[string]server, error) {
	found := map[string]server{}
	for offset := 0; ; {
		var page struct {
			Items []struct {
				Servers map[string]server `json:"servers"`
			} `json:"items"`
			Pagination struct {
				Next *struct {
					Offset int `json:"offset"`
				} `json:"next"`
			} `json:"_pagination"`
		}
		if _, err := c.call(ctx, http.MethodGet, fmt.Sprintf("/hub/api/users?state=active&limit=%d&offset=%d", pageSize, offset), nil, &page); err != nil {
			return nil, err
		}
		for _, user := range page.Items {
			maps.Copy(found, user.Servers)
		}
		if page.Pagination.Next == nil || page.Pagination.Next.Offset <= offset {
			return found, nil
		}
		offset = page.Pagination.Next.Offset
	}
}

// server returns a session's server, even a stopped one; false if the hub doesn't know it.
func (c *client) server(ctx context.Context, r record) (server, bool, error) {
	var model struct {
		Servers map[string]server `json:"servers"`
	}
	_, err := c.call(ctx, http.MethodGet, userPath(r.user())+"?include_stopped_servers=1", nil, &model)
	if statusOf(err) == http.StatusNotFound {
		return server{}, false, nil
	}
	one, known := model.Servers[r.server()]
	return one, known, err
}

// tokenLife is how long a session's token is valid; if a server refuses its token, it gets a new one.
const tokenLife = 30 * 24 * time.Hour

// issue creates a token that opens only a session's server.
func (c *client) issue(ctx context.Context, r record) (token, id string, err error) {
	var made struct{ Token, ID string }
	_, err = c.call(ctx, http.MethodPost, userPath(r.user(), "tokens"), map[string]any{
		"note": noteOf(r), "expires_in": int(tokenLife.Seconds()), "scopes": []string{"access:servers!server=" + r.user() + "/" + r.server()},
	}, &made)
	if err == nil && (made.Token == "" || made.ID == "") {
		err = fault.New(fault.Unavailable, "The hub didn't create a token for the session.")
	}
	return made.Token, made.ID, err
}

// noteOf is the note by which the hub's operators, and we, recognize the tokens of a session.
func noteOf(r record) string { return "Cairn session " + r.Spec.ID }

// tokensOf returns the ids of all tokens of a session, including one that a crash prevented from being recorded, and
// the one that the hub issued to the server itself, which a restarted hub forgets to revoke.
func (c *client) tokensOf(ctx context.Context, r record) (ids []string, err error) {
	var list struct {
		Tokens []struct{ ID, Note string } `json:"api_tokens"`
	}
	_, err = c.call(ctx, http.MethodGet, userPath(r.user(), "tokens"), nil, &list)
	if err != nil && statusOf(err) != http.StatusNotFound {
		return nil, err
	}
	for _, token := range list.Tokens {
		if token.Note == noteOf(r) || (strings.HasPrefix(token.Note, "Server at ") && strings.HasSuffix(token.Note, "/"+r.server()+"/")) {
			ids = append(ids, token.ID)
		}
	}
	return ids, nil
}

// revokeAll revokes tokens.
func (c *client) revokeAll(ctx context.Context, user string, ids []string) error {
	for _, id := range ids {
		if err := c.revoke(ctx, user, id); err != nil {
			return err
		}
	}
	return nil
}

// revoke revokes a token; it is fine if it is gone already.
func (c *client) revoke(ctx context.Context, user, id string) error {
	_, err := c.call(ctx, http.MethodDelete, userPath(user, "tokens", id), nil, nil)
	if statusOf(err) == http.StatusNotFound {
		return nil
	}
	return err
}
