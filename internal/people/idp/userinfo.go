package idp

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// userinfo returns whom an access token is for. It refuses ID tokens, and tokens that were revoked or whose login has
// ended.
func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		w.Header().Set("WWW-Authenticate", `Bearer realm="userinfo"`)
		http.Error(w, "Send an access token in the Authorization header.", http.StatusUnauthorized)
		return
	}
	read, err := p.verify(strings.TrimSpace(token))
	account, known := p.bySubject[read.Subject]
	if err != nil || !known || read.TokenUse != tokenUseAccess || p.options.Now().Unix() >= read.Expiry ||
		p.state.ended(read.ID, read.SID) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="userinfo", error="invalid_token"`)
		http.Error(w, "The access token is invalid or has expired. Sign in again.", http.StatusUnauthorized)
		return
	}
	info := userInfo(account)
	writeJSON(w, &info)
}

func userInfo(account Account) oidc.UserInfo {
	return oidc.UserInfo{
		Subject:         subjectOf(account.Email),
		UserInfoProfile: oidc.UserInfoProfile{Name: account.Name},
		UserInfoEmail:   oidc.UserInfoEmail{Email: account.Email, EmailVerified: true},
	}
}

// revoke revokes a refresh token's family or an access token; anything else succeeds without effect, as RFC 7009
// requires.
func (p *Provider) revoke(w http.ResponseWriter, r *http.Request) {
	err := p.checkClientRequest(r)
	if err == nil {
		token := r.PostForm.Get("token")
		if id, _, ok := p.parseRefreshToken(token); ok {
			err = p.state.endFamily(id)
		} else if read, problem := p.verify(token); problem == nil && read.TokenUse == tokenUseAccess {
			err = p.state.endToken(read.ID, time.Unix(read.Expiry, 0))
		}
	}
	if err != nil {
		p.tokenError(w, r, err)
	}
}

// tokenError answers the client. Anything but a protocol error is our fault: its cause goes only to the log.
func (p *Provider) tokenError(w http.ResponseWriter, r *http.Request, err error) {
	known := protocolError(err)
	status := http.StatusBadRequest
	switch known.ErrorType {
	case oidc.InvalidClient:
		status = http.StatusUnauthorized
	case oidc.ServerError:
		status = http.StatusInternalServerError
	}
	op.WriteError(w, r, op.NewStatusError(known, status), p.options.Logger)
}

func protocolError(err error) *oidc.Error {
	if known, ok := errors.AsType[*oidc.Error](err); ok {
		return known
	}
	return oidc.ErrServerError().WithDescription("The sign-in server failed. Try again later.").WithParent(err)
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // if it fails, the client is gone
}
