package idp

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// logout signs the browser out, and ends the login named by the ID token everywhere. It redirects to an address that is
// registered exactly like this, or shows a page that says what happened. A request that names no login of ours and is no
// form of our page is confirmed first.
func (p *Provider) logout(w http.ResponseWriter, r *http.Request) {
	request := new(oidc.EndSessionRequest)
	err := r.ParseForm()
	if err == nil {
		err = p.protocol.Decoder().Decode(request, r.Form)
	}
	var hinted claims
	var hintErr error
	if request.IdTokenHint != "" {
		hinted, hintErr = p.verify(request.IdTokenHint)
	}
	// Any page can send a browser here. Without a hint of the account or a form of our own, the person decides.
	current, signedIn := p.currentLogin(r)
	hints := request.IdTokenHint != "" && hintErr == nil && hinted.Subject == subjectOf(current.Email)
	clientID := request.ClientID
	if clientID == "" {
		clientID = hinted.AuthorizedParty
	}
	from, known := p.client(clientID)
	if signedIn && !hints && (r.Method != http.MethodPost || p.crossOrigin.Check(r) != nil) {
		p.pages.confirmLogout(w, from.home, p.path+logoutPath+"?"+r.Form.Encode())
		return
	}
	// Signing out comes first: it must not fail because something else is wrong.
	if stateErr := p.state.signOut(p.readCookie(r, loginCookie), hinted.SID); stateErr != nil {
		p.options.Logger.Error("a login cannot be ended", "error", stateErr)
		p.pages.message(w, http.StatusInternalServerError, from.home, "Signing out failed",
			"The sign-in server couldn't record it, so you may still be signed in there. Close the browser and tell the operators.")
		return
	}
	p.setCookie(w, loginCookie, "", -1)
	returning := request.PostLogoutRedirectURI
	switch {
	case returning == "" && err == nil:
		p.pages.message(w, http.StatusOK, from.home, "You are signed out", "You can close this page.")
	case err != nil, hintErr != nil, !known,
		hinted.AuthorizedParty != "" && hinted.AuthorizedParty != clientID,
		!slices.Contains(from.returns, returning):
		p.pages.message(w, http.StatusBadRequest, from.home, "You are signed out",
			"You can close this page. The application asked to continue at an address it hasn't registered.")
	default:
		http.Redirect(w, r, withState(returning, request.State), http.StatusSeeOther)
	}
}

func withState(address, state string) string {
	parsed, err := url.Parse(address)
	if err != nil || state == "" {
		return address
	}
	query := parsed.Query()
	query.Set("state", state)
	parsed.RawQuery = query.Encode()
	return parsed.String()
}
