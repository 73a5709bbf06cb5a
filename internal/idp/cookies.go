package idp

import (
	"net/http"
	"strings"
	"time"
)

// The cookies. Browsers send cookies with the prefix "__Secure-" only over https.
const (
	loginCookie   = "cairn_idp"         // a browser that signed in
	browserCookie = "cairn_idp_browser" // a browser that was shown the login page
)

func (p *Provider) secure() bool { return strings.HasPrefix(p.options.Issuer, "https:") }

func (p *Provider) cookieName(name string) string {
	if p.secure() {
		return "__Secure-" + name
	}
	return name
}

func (p *Provider) readCookie(r *http.Request, name string) string {
	cookie, err := r.Cookie(p.cookieName(name))
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
	http.SetCookie(w, &http.Cookie{
		Name: p.cookieName(name), Value: value, Path: p.path + "/", MaxAge: maxAge,
		HttpOnly: true, Secure: p.secure(), SameSite: http.SameSiteLaxMode,
	})
}
