package codehost

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/people/connections"
)

// Accounts are the people's accounts at a host: whose a token is, and what it may really do. It is a service with which accounts are connected.
type Accounts struct {
	Kind   string // as in the configuration
	Name   string // what people call the host
	URL    string // of its pages
	APIURL string // of its API; unused for a host that is read with git alone
	Client *safehttp.Client

	ClientID, ClientSecret string // of OAuth, for revoking; "" without it
}

// said is an answer of a host about a token.
type said struct {
	status int
	header http.Header
	body   []byte
}

// ask asks the host with a token.
func (a Accounts) ask(ctx context.Context, method, address, authorization string, content []byte) (said, error) {
	header := http.Header{"Accept": {"application/json"}}
	if authorization != "" {
		header.Set("Authorization", authorization)
	}
	if content != nil {
		header.Set("Content-Type", "application/json")
	}
	response, body, err := a.Client.Read(ctx, safehttp.Request{
		Method: method, Address: address, Header: header, Post: content, MaxBytes: aboutBytes, Timeout: askTime, Stall: askTime,
	})
	if err != nil {
		return said{}, fault.Wrap(err, fault.CodehostUnavailable, "%s can't be reached from this server right now. Try again in a while.", a.Name)
	}
	if response.Status >= http.StatusInternalServerError || response.Status == http.StatusTooManyRequests || !sameOrigin(response.Address, address) {
		down := fault.New(fault.CodehostUnavailable, "%s can't answer at the moment (%d).", a.Name, response.Status)
		down.RetryAfter = busyTime
		return said{}, down
	}
	if response.Status == http.StatusOK && !json.Valid(body) { // such as a page that wants to know whether somebody looks at it
		return said{}, fault.New(fault.CodehostUnavailable, "%s sent an answer that can't be read.", a.Name)
	}
	return said{response.Status, response.Header, body}, nil
}

// get asks about a path of the API.
func (a Accounts) get(ctx context.Context, token, path string) (said, error) {
	return a.ask(ctx, "", a.APIURL+path, "Bearer "+token, nil)
}

func (s said) decode(into any) { _ = json.Unmarshal(s.body, into) } // what can't be read says nothing

func (a Accounts) refuses() error {
	return fault.InvalidField("body.token", "%s doesn't accept this token. It may have expired, or it's for another server.", a.Name)
}

// Look implements connections.Service.
func (a Accounts) Look(ctx context.Context, token string) (connections.Granted, error) {
	switch a.Kind {
	case "github":
		return a.lookGitHub(ctx, token)
	case "gitlab":
		return a.lookGitLab(ctx, token)
	case "gitea", "forgejo":
		return a.lookGitea(ctx, token)
	case "bitbucket":
		return a.lookBitbucket(ctx, token)
	}
	return connections.Granted{Rights: []connections.Right{connections.RightRead, connections.RightUnknown}}, nil // git has no question for it
}

// lookGitHub reads the scopes that GitHub says with each answer. It says none of tokens that are limited to single repositories:
// https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
func (a Accounts) lookGitHub(ctx context.Context, token string) (connections.Granted, error) {
	found, err := a.get(ctx, token, "/user")
	if err != nil {
		return connections.Granted{}, err
	}
	if found.status != http.StatusOK {
		return connections.Granted{}, a.refuses()
	}
	var user struct {
		Login string `json:"login"`
	}
	found.decode(&user)
	granted := connections.Granted{Login: user.Login, Rights: []connections.Right{connections.RightIdentity, connections.RightRead}}
	if _, says := found.header["X-Oauth-Scopes"]; !says {
		granted.Rights = append(granted.Rights, connections.RightUnknown)
		return granted, nil
	}
	granted.Scopes = scopesIn(found.header.Get("X-Oauth-Scopes"))
	if slices.ContainsFunc(granted.Scopes, func(scope string) bool { return !strings.HasPrefix(scope, "read:") && scope != "user:email" }) {
		granted.Rights = append(granted.Rights, connections.RightWrite) // "repo" has no smaller scope that reads
	}
	return granted, nil
}

// lookGitLab asks what a token is: a personal one, or one of OAuth (https://docs.gitlab.com/api/personal_access_tokens/,
// https://docs.gitlab.com/api/oauth2/#retrieve-the-token-information).
func (a Accounts) lookGitLab(ctx context.Context, token string) (connections.Granted, error) {
	personal, err := a.get(ctx, token, "/personal_access_tokens/self")
	if err != nil {
		return connections.Granted{}, err
	}
	var told struct {
		Scopes []string `json:"scopes"`
		Scope  []string `json:"scope"`
	}
	if personal.status == http.StatusOK {
		personal.decode(&told)
	} else {
		granted, err := a.ask(ctx, "", a.URL+"/oauth/token/info", "Bearer "+token, nil)
		if err != nil {
			return connections.Granted{}, err
		}
		if granted.status == http.StatusOK {
			granted.decode(&told)
		}
	}
	user, err := a.get(ctx, token, "/user")
	if err != nil {
		return connections.Granted{}, err
	}
	scopes := append(told.Scopes, told.Scope...)
	if user.status != http.StatusOK && (user.status == http.StatusUnauthorized || len(scopes) == 0) {
		return connections.Granted{}, a.refuses()
	}
	var who struct {
		Username string `json:"username"`
	}
	user.decode(&who)
	granted := connections.Granted{Login: who.Username, Scopes: scopes}
	for _, scope := range scopes {
		switch {
		case scope == "api" || scope == "sudo" || scope == "admin_mode":
			granted.Rights = append(granted.Rights, connections.RightAll)
		case scope == "read_user" || scope == "openid" || scope == "profile" || scope == "email":
			granted.Rights = append(granted.Rights, connections.RightIdentity)
		case strings.HasPrefix(scope, "read_"):
			granted.Rights = append(granted.Rights, connections.RightRead)
		default:
			granted.Rights = append(granted.Rights, connections.RightWrite)
		}
	}
	if len(scopes) == 0 {
		granted.Rights = append(granted.Rights, connections.RightUnknown)
	}
	return granted, nil
}

// lookGitea finds out what a token may do. Only Gitea since 1.27 says it, and Forgejo ignores the scopes of OAuth, so the rest is tried: what
// has nothing to do with repositories, and a change of a repository that doesn't exist.
func (a Accounts) lookGitea(ctx context.Context, token string) (connections.Granted, error) {
	user, err := a.get(ctx, token, "/user")
	if err != nil {
		return connections.Granted{}, err
	}
	if user.status == http.StatusUnauthorized {
		return connections.Granted{}, a.refuses()
	}
	var who struct {
		Login string `json:"login"`
	}
	granted := connections.Granted{}
	if user.status == http.StatusOK {
		user.decode(&who)
		granted.Login, granted.Rights = who.Login, append(granted.Rights, connections.RightIdentity)
	}
	unrelated, err := a.get(ctx, token, "/notifications")
	if err != nil {
		return connections.Granted{}, err
	}
	repositories, err := a.get(ctx, token, "/repos/search?private=true&limit=1")
	if err != nil {
		return connections.Granted{}, err
	}
	nowhere := "/repos" + escaped(cmp.Or(who.Login, "nobody"), "not-there-"+strings.ToLower(rand.Text()))
	change, err := a.ask(ctx, http.MethodPatch, a.APIURL+nowhere, "Bearer "+token, []byte("{}"))
	if err != nil {
		return connections.Granted{}, err
	}
	if repositories.status == http.StatusOK {
		granted.Rights = append(granted.Rights, connections.RightRead)
	}
	if change.status == http.StatusNotFound {
		granted.Rights = append(granted.Rights, connections.RightWrite)
	}
	if unrelated.status == http.StatusOK {
		granted.Rights = append(granted.Rights, connections.RightAll)
	}
	var self struct {
		Scopes []string `json:"scopes"`
	}
	if says, err := a.get(ctx, token, "/token"); err == nil && says.status == http.StatusOK {
		says.decode(&self)
		granted.Scopes = self.Scopes
	}
	if len(granted.Rights) == 0 {
		return connections.Granted{}, fault.InvalidField("body.token", "This token may not read repositories at %s. Make one with the scope read:repository.", a.Name)
	}
	return granted, nil
}

// lookBitbucket reads the scopes that Bitbucket says with each answer. Tokens of single repositories have no user.
func (a Accounts) lookBitbucket(ctx context.Context, token string) (connections.Granted, error) {
	user, err := a.ask(ctx, "", a.APIURL+"/user", "Bearer "+token, nil)
	if err != nil {
		return connections.Granted{}, err
	}
	var who struct {
		Username string `json:"username"`
		Nickname string `json:"nickname"`
	}
	granted := connections.Granted{Rights: []connections.Right{connections.RightRead}}
	if user.status == http.StatusOK {
		user.decode(&who)
		granted.Login, granted.Rights = cmp.Or(who.Username, who.Nickname), append(granted.Rights, connections.RightIdentity)
	}
	if granted.Scopes = scopesIn(user.header.Get("X-Oauth-Scopes")); len(granted.Scopes) == 0 {
		granted.Rights = append(granted.Rights, connections.RightUnknown)
	}
	if slices.ContainsFunc(granted.Scopes, func(scope string) bool { return strings.Contains(scope, ":write") || strings.Contains(scope, ":admin") }) {
		granted.Rights = append(granted.Rights, connections.RightWrite)
	}
	return granted, nil
}

// scopesIn reads scopes between commas or spaces.
func scopesIn(header string) []string {
	return strings.FieldsFunc(header, func(r rune) bool { return r == ',' || r == ' ' })
}

// Revoke implements connections.Service: GitLab's and GitHub's tokens of OAuth can be revoked (RFC 7009;
// https://docs.github.com/en/rest/apps/oauth-applications#delete-an-app-token).
func (a Accounts) Revoke(ctx context.Context, token string) (done bool, err error) {
	switch {
	case a.ClientID == "":
		return false, nil
	case a.Kind == "gitlab":
		form := url.Values{"token": {token}, "client_id": {a.ClientID}, "client_secret": {a.ClientSecret}}
		header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		response, _, err := a.Client.Read(ctx, safehttp.Request{
			Address: a.URL + "/oauth/revoke", Header: header, Post: []byte(form.Encode()), MaxBytes: aboutBytes, Timeout: askTime, Stall: askTime,
		})
		return err == nil && response.Status == http.StatusOK, err
	case a.Kind == "github":
		content, err := json.Marshal(map[string]string{"access_token": token})
		if err != nil {
			return false, err
		}
		basic := "Basic " + base64.StdEncoding.EncodeToString([]byte(a.ClientID+":"+a.ClientSecret))
		found, err := a.ask(ctx, http.MethodDelete, a.APIURL+"/applications/"+url.PathEscape(a.ClientID)+"/token", basic, content)
		return found.status == http.StatusNoContent, err
	}
	return false, nil
}
