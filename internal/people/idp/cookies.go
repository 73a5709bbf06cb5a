package idp

import (
	"net/http"
	"strings"
	"time"
)

// The cookies.
const (
	loginCookie   = "cairn_idp"         // a browser that signed in
	browserCookie = "cairn_idp_browser" // a browser that was shown the login page
	knownCookie   = "cairn_idp_known"   // a browser that signed in with a password before
)

func (p *Provider) secure() bool { return strings.HasPrefix(p.options.Issuer, "https:") }

// cookieName returns the name of a cookie and the path it needs. Over https it has the prefix "__Host-", with which browsers
// take it from this host alone: one of a sibling host would sign people in as somebody else.
func (p *Provider) cookieName(name string) (full, path string) {
	if p.secure() {
		return "__Host-" + name, "/"
	}
	return name, p.path + "/"
}

func (p *Provider) readCookie(r *http.Request, name string) string {
	full, _ := p.cookieName(name)
	cookie, err := r.Cookie(full)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie sets a cookie for this provider. A lifetime of 0 lasts until the browser closes; a negative one removes the
// cookie.
func (p *Provider) setCookie(w http.ResponseWriter, name, value string, lifetime time.Duration) {
	maxAge := int(lifetime.Seconds())
	if lifetime < 0 {
		maxAge = -1
	}
	full, path := p.cookieName(name)
	http.SetCookie(w, &http.Cookie{
		Name: full, Value: value, Path: path, MaxAge: maxAge,
		HttpOnly: true, Secure: p.secure(), SameSite: http.SameSiteLaxMode,
	})
}
