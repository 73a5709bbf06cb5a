package front

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	accessTime = 5 * time.Second // for one question to the hub
	accessLife = 5 * time.Second // that its answer is kept: every page of VS Code makes hundreds of requests
)

// access knows which tokens may use the session's server, as the hub does.
type access struct {
	api, scope string

	// mu guards the field below.
	mu       sync.Mutex
	admitted map[string]time.Time // until when, by token
}

func newAccess(api, user, server string) *access {
	return &access{api: api, scope: "access:servers!server=" + user + "/" + server, admitted: map[string]time.Time{}}
}

// admits reports whether a request brings a token of the hub that is for this server.
func (a *access) admits(r *http.Request) bool {
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(kind, "token") || token == "" {
		return false
	}
	now := time.Now()
	a.mu.Lock()
	until := a.admitted[token]
	a.mu.Unlock()
	if now.Before(until) {
		return true
	}
	scopes, err := a.scopesOf(r.Context(), token)
	if err != nil || !slices.Contains(scopes, a.scope) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for one, until := range a.admitted {
		if now.After(until) {
			delete(a.admitted, one)
		}
	}
	a.admitted[token] = now.Add(accessLife)
	return true
}

// hubClient asks the hub itself: a proxy for the internet must not see tokens.
var hubClient = &http.Client{Timeout: accessTime, Transport: &http.Transport{MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute}}

// scopesOf asks the hub what a token may do.
func (a *access) scopesOf(ctx context.Context, token string) ([]string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.api+"/user", http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "token "+token)
	answer, err := hubClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var about struct{ Scopes []string }
	return about.Scopes, json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&about)
}
