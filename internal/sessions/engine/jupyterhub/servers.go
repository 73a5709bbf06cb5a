package jupyterhub

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// lookTime limits one look into a server.
const lookTime = 5 * time.Second

// target leads through the hub's proxy to the server of a session.
func (c *client) target(r record) engine.Target {
	return engine.Target{
		Transport: hubHost{c.transport, c.address.Host}, URL: &url.URL{Scheme: c.address.Scheme, Host: c.address.Host},
		Authorization: "token " + r.Token, Base: r.Server,
	}
}

// hubHost sends requests under the hub's own host name, by which proxies in front of it route.
type hubHost struct {
	*http.Transport

	host string
}

// RoundTrip implements http.RoundTripper.
func (t hubHost) RoundTrip(request *http.Request) (*http.Response, error) {
	renamed := request.WithContext(request.Context()) // a copy whose Host may be changed
	renamed.Host = t.host
	return t.Transport.RoundTrip(renamed)
}

// probe sends a server a request and returns the status.
func (c *client) probe(ctx context.Context, r record) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	status, err := c.askServer(ctx, r, "api/status", nil)
	if status != 0 {
		return status, nil
	}
	return 0, err
}

// askServer sends a request to a session's server, through the hub's proxy.
func (c *client) askServer(ctx context.Context, r record, path string, answer any) (status int, err error) {
	target := c.target(r)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.URL.String()+r.Server+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", target.Authorization)
	response, err := target.Transport.RoundTrip(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	body := io.LimitReader(response.Body, 1<<20)
	defer func() { _, _ = io.Copy(io.Discard, body) }()
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, fmt.Errorf("%s: %s", path, response.Status)
	}
	if answer == nil {
		return response.StatusCode, nil
	}
	return response.StatusCode, json.NewDecoder(body).Decode(answer)
}

// deleteServer sends a DELETE of the server until the hub has carried it out.
func (c *client) deleteServer(ctx context.Context, r record, options any) error {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		status, err := c.call(context.WithoutCancel(ctx), http.MethodDelete, userPath(r.user(), "servers", r.server()), options, nil)
		switch {
		case statusOf(err) == http.StatusNotFound, status == http.StatusNoContent:
			return nil
		case statusOf(err) == http.StatusBadRequest: // it is pending: a hub with our hook can cancel the launch
			path := "/hub/api/cairn/cancel" + userPath(r.user(), r.server())[len("/hub/api/users"):]
			if _, err := c.call(ctx, http.MethodPost, path, nil, nil); err != nil && statusOf(err) == 0 {
				return err
			}
		case err != nil:
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// removeServer removes the server and the work of a session.
func (c *client) removeServer(ctx context.Context, r record) error {
	if err := c.deleteServer(ctx, r, map[string]bool{"remove": true}); err != nil {
		return err
	}
	return c.removeWork(ctx, r.Spec.ID)
}

// removeWork removes the folders of a session and its versions; nil if there are none.
func (c *client) removeWork(ctx context.Context, id string) error {
	response, err := c.askWork(ctx, http.MethodDelete, id)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusNoContent, http.StatusNotFound: // a hub without the service has a spawner that cleans up itself
		return nil
	default:
		return fault.New(fault.Unavailable, "The hub's service that removes work isn't responding (%d).", response.StatusCode)
	}
}
