package main

import (
	"crypto/rand"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/ory/fosite"
)

const loginCookie = "provider_login"

var loginPage = template.Must(template.New("login").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Sign in at the institution</title>
<h1>The institution</h1>
<form method="post" action="/login">
<input type="hidden" name="waiting" value="{{.Waiting}}">
<label>E-mail <input type="email" name="email" required autofocus></label>
<button>Sign in</button>
{{if .Refused}}<p role="alert">There is no such account.</p>{{end}}
</form></html>`))

// authorize answers a sign-in request: with a code when its user is signed in here and may stay so, with an error where
// nobody may be asked, else with the login page.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	request, err := p.oauth.NewAuthorizeRequest(r.Context(), r)
	if err != nil {
		p.oauth.WriteAuthorizeError(r.Context(), w, request, err)
		return
	}
	asked := request.GetRequestForm()
	prompts := strings.Fields(asked.Get("prompt"))
	known := p.currentLogin(r)
	maxAge, err := strconv.Atoi(asked.Get("max_age"))
	tooOld := err == nil && known != nil && time.Since(known.at) > time.Duration(maxAge)*time.Second
	switch {
	case known != nil && !tooOld && !slices.Contains(prompts, "login") && !slices.Contains(prompts, "select_account"):
		p.grant(w, r, request, known, time.Now())
	case slices.Contains(prompts, "none"):
		p.oauth.WriteAuthorizeError(r.Context(), w, request, fosite.ErrLoginRequired)
	default:
		id := rand.Text()
		p.waiting[id] = waiting{query: r.URL.RawQuery, since: time.Now()}
		showLoginPage(w, id, false)
	}
}

func showLoginPage(w http.ResponseWriter, id string, refused bool) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	_ = loginPage.Execute(w, struct {
		Waiting string
		Refused bool
	}{id, refused})
}

// signIn takes the login page's form.
func (p *provider) signIn(w http.ResponseWriter, r *http.Request) {
	id := r.PostFormValue("waiting")
	pending, ok := p.waiting[id]
	if !ok {
		http.Error(w, "This sign-in is over. Begin anew.", http.StatusBadRequest)
		return
	}
	who, ok := accounts[strings.ToLower(strings.TrimSpace(r.PostFormValue("email")))]
	if !ok {
		showLoginPage(w, id, true)
		return
	}
	delete(p.waiting, id)
	// The request was checked before, so this is not the place where it can fail.
	again := r.Clone(r.Context())
	again.Method, again.Form, again.PostForm = http.MethodGet, nil, nil
	again.URL = &url.URL{Path: "/authorize", RawQuery: pending.query}
	request, err := p.oauth.NewAuthorizeRequest(r.Context(), again)
	if err != nil {
		p.oauth.WriteAuthorizeError(r.Context(), w, request, err)
		return
	}
	p.grant(w, r, request, p.startLogin(w, r, who), pending.since)
}

// startLogin signs somebody in at the provider. The same person goes on with the same session id.
func (p *provider) startLogin(w http.ResponseWriter, r *http.Request, who account) *login {
	fresh := &login{account: who, sid: uuid.NewString(), at: time.Now()}
	if cookie, err := r.Cookie(loginCookie); err == nil {
		if before := p.logins[cookie.Value]; before != nil && before.account == who {
			fresh.sid = before.sid
		}
		delete(p.logins, cookie.Value)
	}
	value := rand.Text()
	p.logins[value] = fresh
	// Sent to frames in pages of other sites too: browsers ask for Secure then, and count localhost as secure.
	http.SetCookie(w, &http.Cookie{
		Name: loginCookie, Value: value, Path: "/", HttpOnly: true, Secure: true, SameSite: http.SameSiteNoneMode,
	})
	return fresh
}

func (p *provider) currentLogin(r *http.Request) *login {
	cookie, err := r.Cookie(loginCookie)
	if err != nil {
		return nil
	}
	return p.logins[cookie.Value]
}

// grant sends the browser back with a code.
func (p *provider) grant(w http.ResponseWriter, r *http.Request, request fosite.AuthorizeRequester, l *login, requestedAt time.Time) {
	for _, scope := range request.GetRequestedScopes() {
		if scope != "offline_access" || p.options.refresh {
			request.GrantScope(scope)
		}
	}
	response, err := p.oauth.NewAuthorizeResponse(r.Context(), request, p.newSession(l, requestedAt))
	if err != nil {
		p.oauth.WriteAuthorizeError(r.Context(), w, request, err)
		return
	}
	p.oauth.WriteAuthorizeResponse(r.Context(), w, request, response)
}

var logoutPage = template.Must(template.New("logout").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Sign out of the institution</title>
<h1>{{if .Ended}}You are signed out{{else}}Do you want to sign out?{{end}}</h1>
{{if not .Ended}}<form method="post">{{range $name, $values := .Asked}}{{range $values}}
<input type="hidden" name="{{$name}}" value="{{.}}">{{end}}{{end}}
<button>Sign out</button></form>{{end}}</html>`))

// logout ends the login and sends the browser back, if the address is exactly the registered one. Without an ID token
// that shows whose sign-out it is, the user is asked, so that no foreign page can sign anybody out.
func (p *provider) logout(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	back := r.Form.Get("post_logout_redirect_uri")
	if back != "" && back != p.options.postLogoutURI {
		http.Error(w, "This address after the sign-out is not registered.", http.StatusBadRequest)
		return
	}
	hinted := false
	if hint := r.Form.Get("id_token_hint"); hint != "" {
		token, _ := p.keys.Decode(r.Context(), hint) // an expired one is still a hint
		known := p.currentLogin(r)
		hinted = token != nil && (known == nil || token.Claims["sub"] == known.account.subject)
	}
	if cookie, err := r.Cookie(loginCookie); err == nil && (hinted || r.Method == http.MethodPost) {
		delete(p.logins, cookie.Value)
	} else if err == nil && p.logins[cookie.Value] != nil {
		p.showLogoutPage(w, r, false)
		return
	}
	if back == "" {
		p.showLogoutPage(w, r, true)
		return
	}
	if state := r.Form.Get("state"); state != "" {
		back += "?" + url.Values{"state": {state}}.Encode()
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
}

func (p *provider) showLogoutPage(w http.ResponseWriter, r *http.Request, ended bool) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	_ = logoutPage.Execute(w, struct {
		Ended bool
		Asked url.Values
	}{ended, r.Form})
}
