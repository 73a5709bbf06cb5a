package idp

import (
	"context"
	"crypto/rand"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/httpapi"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// Attempts to sign in with a password: so many at once, and then one each time. Those of an account are counted for each address,
// so that nobody can use up its owner's.
const (
	addressAttempts, addressEvery = 20, 3 * time.Second
	accountAttempts, accountEvery = 10, 10 * time.Second
)

// slowAttempt is how long an attempt beyond these waits before its password is looked at, one after the other for each address.
const slowAttempt = 3 * time.Second

// knownLifetime is how long a browser is remembered after it signed in with a password.
const knownLifetime = 180 * 24 * time.Hour

// MaxPassword is the maximum length of a password in bytes; longer ones never match.
const MaxPassword = 1024

const (
	wrongLogin = "The e-mail or the password is wrong. Check both and try again."
	tooMany    = "There were too many attempts to sign in. Wait a minute, then try again."
)

// showLogin shows the login page of the request in the address.
func (p *Provider) showLogin(w http.ResponseWriter, r *http.Request) {
	request, _, ok := p.authorizationRequest(w, r)
	if !ok {
		return
	}
	browser := p.readCookie(r, browserCookie)
	if browser == "" {
		browser = rand.Text()
		p.setCookie(w, browserCookie, browser, 0)
	}
	p.pages.login(w, http.StatusOK, p.loginView(r, request, browser, normalEmail(request.LoginHint), ""))
}

func (p *Provider) loginView(r *http.Request, request *oidc.AuthRequest, browser, email, problem string) loginView {
	query := r.URL.Query().Encode()
	title := "Sign in to " + p.options.Product()
	if request.ClientID != p.options.ClientID {
		from, _ := p.client(request.ClientID)
		title = "Sign in to continue to " + from.home.Name
	}
	return loginView{
		Title: title, Back: p.wayBack(request),
		Action: p.path + loginPath + "?" + query, Proof: p.mac("login", browser, query), Email: email, Problem: problem,
	}
}

// wayBack returns where people go who don't sign in after all. Another client learns it by an error, and shows its own
// page; the product just opens again.
func (p *Provider) wayBack(request *oidc.AuthRequest) place {
	from, _ := p.client(request.ClientID)
	if from.id == p.options.ClientID {
		return from.home
	}
	canceled := oidc.ErrAccessDenied()
	canceled.State = request.State
	address, err := op.AuthResponseURL(request.RedirectURI, request.ResponseType, request.ResponseMode, canceled, p.protocol.Encoder())
	if err != nil {
		return from.home
	}
	return place{Name: from.home.Name, Address: address}
}

// login handles the login page's form. It is accepted only from the browser that was shown the page, for the same
// request: the form carries a proof of both, and a form sent by another site is refused before.
func (p *Provider) login(w http.ResponseWriter, r *http.Request) {
	request, _, ok := p.authorizationRequest(w, r)
	if !ok {
		return
	}
	browser := p.readCookie(r, browserCookie)
	if p.crossOrigin.Check(r) != nil || r.ParseForm() != nil || browser == "" ||
		!p.macMatches(r.PostForm.Get("proof"), "login", browser, r.URL.Query().Encode()) {
		back := p.wayBack(request)
		p.pages.message(w, http.StatusForbidden, back, "This form doesn't belong to this browser",
			"It was opened somewhere else, or cookies are blocked, so you aren't signed in. Allow cookies, go back to "+
				back.Name+" and sign in again.")
		return
	}
	email := normalEmail(r.PostForm.Get("email"))
	account, status, problem := p.authenticate(w, r, email, r.PostForm.Get("password"))
	if problem != "" {
		p.pages.login(w, status, p.loginView(r, request, browser, email, problem))
		return
	}
	cookie, made, err := p.state.signIn(account.Email, p.readCookie(r, loginCookie))
	if err != nil {
		p.options.Logger.Error("a login cannot be kept", "error", err)
		p.refuse(w, r, request, protocolError(err))
		return
	}
	p.count("ok")
	p.options.Logger.Info("signed in", "subject", subjectOf(account.Email), "sid", made.SID)
	p.setCookie(w, loginCookie, cookie, loginLifetime)
	p.answer(w, r, request, made)
}

// authenticate returns who is at the login page, or the message and status to show. Neither the message nor the time
// reveals whether an e-mail is known.
func (p *Provider) authenticate(w http.ResponseWriter, r *http.Request, email, password string) (Account, int, string) {
	account, known := p.byEmail[email]
	if p.options.ChooseAccount {
		if !known {
			return Account{}, http.StatusForbidden, "That account is not in the list. Choose one of these."
		}
		return account, http.StatusOK, ""
	}
	wait := p.delayAttempt(r, email, p.options.Now())
	if wait > 0 {
		done, ok := p.slow.Take(r.Context(), httpapi.ClientNetwork(r.RemoteAddr))
		if !ok {
			return Account{}, http.StatusServiceUnavailable, tooMany
		}
		defer done()
		p.pause(r.Context(), slowAttempt)
	}
	select {
	case p.hashing <- struct{}{}:
		defer func() { <-p.hashing }()
	case <-r.Context().Done():
		return Account{}, http.StatusServiceUnavailable, tooMany
	}
	hash := account.PasswordHash
	if !known {
		hash = p.options.Accounts[0].PasswordHash // takes as long as for a known e-mail
	}
	matches := passwordMatches(hash, password[:min(len(password), MaxPassword)])
	switch wrong := !known || !matches || len(password) > MaxPassword; {
	case wrong && wait > 0: // a right one passes, whoever has been guessing before
		p.options.Logger.Warn("too many attempts to sign in", "address", r.RemoteAddr)
		httpapi.NameLimit(r.Context(), "sign_in")
		p.count("limited")
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		return Account{}, http.StatusTooManyRequests, tooMany
	case wrong:
		p.count("wrong")
		p.options.Logger.Warn("sign-in failed", "address", r.RemoteAddr)
		return Account{}, http.StatusForbidden, wrongLogin
	}
	p.rememberBrowser(w, r, email)
	return account, http.StatusOK, ""
}

// count tells whoever counts how a sign-in ended.
func (p *Provider) count(outcome string) {
	if p.options.Counted != nil {
		p.options.Counted(outcome)
	}
}

// delayAttempt counts an attempt to sign in with a password, or returns for how long the next ones are slow. The address comes
// first: one that is over its limit takes nothing from its attempts for the account. A browser that signed in to the account before
// has attempts of its own.
func (p *Provider) delayAttempt(r *http.Request, email string, now time.Time) time.Duration {
	if known := p.readCookie(r, knownCookie); p.knowsBrowser(known, email) {
		return p.perAccount.Take(cookieKey(known), now)
	}
	address := httpapi.ClientNetwork(r.RemoteAddr)
	if wait := p.perAddress.Take(address, now); wait > 0 {
		return wait
	}
	return p.perAccount.Take(cookieKey(address+" "+email), now)
}

// sleep waits, or until the context ends.
func sleep(ctx context.Context, duration time.Duration) {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// knowsBrowser reports whether a cookie says that its browser signed in to the account before.
func (p *Provider) knowsBrowser(cookie, email string) bool {
	id, proof, found := strings.Cut(cookie, ".")
	return found && p.macMatches(proof, "known", id, email)
}

// rememberBrowser makes the browser one that signed in to the account before.
func (p *Provider) rememberBrowser(w http.ResponseWriter, r *http.Request, email string) {
	known := p.readCookie(r, knownCookie)
	if !p.knowsBrowser(known, email) {
		id := rand.Text()
		known = id + "." + p.mac("known", id, email)
	}
	p.setCookie(w, knownCookie, known, knownLifetime)
}

// currentLogin returns the login of the requesting browser, if its account is still in the configuration.
func (p *Provider) currentLogin(r *http.Request) (login, bool) {
	found, ok := p.state.loginOf(p.readCookie(r, loginCookie))
	_, known := p.byEmail[found.Email]
	return found, ok && known
}
