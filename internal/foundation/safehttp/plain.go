package safehttp

import (
	"net/http"
	"time"
)

// Plain returns the client for libraries that need one of net/http. It visits what this one visits, and follows no redirect.
func (c *Client) Plain(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout: timeout, Transport: plain{c},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type plain struct{ by *Client }

// RoundTrip implements http.RoundTripper.
func (p plain) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := p.by.check(request.URL); err != nil {
		return nil, err
	}
	request = request.Clone(request.Context())
	request.Header.Set("User-Agent", p.by.options.UserAgent)
	return p.by.client.Transport.RoundTrip(request)
}
