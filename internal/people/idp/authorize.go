package idp

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// maxQuery limits the query of a request; an honest one has about 400 bytes.
const maxQuery = 8 << 10

// challengeLength is the length of every S256 challenge: 32 bytes in base64url.
const challengeLength = 43

// authorize answers the client's request to sign somebody in: immediately if this browser's login suffices, else
// through the login page, or with login_required if no page may be shown.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	request, hint, ok := p.authorizationRequest(w, r)
	if !ok {
		return
	}
	found, alive := p.currentLogin(r)
	switch {
	case alive && suffices(found, request, hint, p.options.Now()):
		p.answer(w, r, request, found)
	case slices.Contains(request.Prompt, oidc.PromptNone):
		p.refuse(w, r, request, oidc.ErrLoginRequired())
	default:
		http.Redirect(w, r, p.path+loginPath+"?"+r.URL.RawQuery, http.StatusSeeOther)
	}
}

// suffices reports whether a login answers a request without asking the person again. hint is the subject that the
// client expects, if it named one.
func suffices(l login, request *oidc.AuthRequest, hint string, now time.Time) bool {
	if slices.Contains(request.Prompt, oidc.PromptLogin) || slices.Contains(request.Prompt, oidc.PromptSelectAccount) {
		return false
	}
	if request.MaxAge != nil && (*request.MaxAge == 0 || now.Sub(l.AuthenticatedAt) > seconds(*request.MaxAge)) {
		return false
	}
	return hint == "" || hint == subjectOf(l.Email)
}

func seconds(count uint) time.Duration {
	return time.Duration(min(count, uint(time.Duration(1<<62)/time.Second))) * time.Second
}

// authorizationRequest parses and checks the request in the address. Errors are shown on our own page, never by a
// redirect, until client and redirect address are known to be good; after that they go to the client.
func (p *Provider) authorizationRequest(w http.ResponseWriter, r *http.Request,
) (request *oidc.AuthRequest, hint string, ok bool) {
	request = new(oidc.AuthRequest)
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err == nil {
		err = p.protocol.Decoder().Decode(request, query) // ignores unknown parameters
	}
	from, known := p.client(query.Get("client_id"))
	switch {
	case err != nil || len(r.URL.RawQuery) > maxQuery:
		p.pages.message(w, http.StatusBadRequest, from.home, "This sign-in request cannot be read",
			"You aren't signed in. Go back to "+from.home.Name+" and sign in again.")
		return nil, "", false
	case !known:
		p.pages.message(w, http.StatusBadRequest, from.home, "This application isn't registered here",
			"The sign-in request names an application that isn't registered, so you aren't signed in. "+
				"Its operators can correct the client id in its settings.")
		return nil, "", false
	case !slices.Contains(from.redirects, request.RedirectURI):
		p.pages.message(w, http.StatusBadRequest, from.home, "The return address isn't registered",
			"The sign-in request asks to continue at an address that this application hasn't registered, so you aren't signed in. "+
				"Open "+from.home.Name+" at its public address and sign in again.")
		return nil, "", false
	}
	hint, problem := p.checkRequest(request)
	if problem != nil {
		p.refuse(w, r, request, problem)
		return nil, "", false
	}
	return request, hint, true
}

// checkRequest checks what a well-behaved client may still get wrong, and returns the subject of the ID token it sent
// along.
func (p *Provider) checkRequest(request *oidc.AuthRequest) (hint string, problem *oidc.Error) {
	var err error
	if request.RequestParam != "" {
		return "", oidc.ErrRequestNotSupported()
	}
	if err = op.ValidateAuthReqResponseType(p.ownClient(), request.ResponseType); err != nil {
		return "", protocolError(err)
	}
	// The library's form_post page needs a script, and its fragments are escaped twice.
	if request.ResponseMode != "" && request.ResponseMode != oidc.ResponseModeQuery {
		return "", oidc.ErrInvalidRequest().WithDescription("response_mode is query")
	}
	if request.MaxAge, err = op.ValidateAuthReqPrompt(request.Prompt, request.MaxAge); err != nil {
		return "", protocolError(err)
	}
	// The library doesn't require PKCE here, and would accept the method "plain".
	if request.CodeChallengeMethod != oidc.CodeChallengeMethodS256 || len(request.CodeChallenge) != challengeLength {
		return "", oidc.ErrInvalidRequest().WithDescription("PKCE with code_challenge_method S256 is required")
	}
	request.Scopes = slices.DeleteFunc(request.Scopes, func(scope string) bool {
		return !slices.Contains(supportedScopes(), scope)
	})
	if !slices.Contains(request.Scopes, oidc.ScopeOpenID) {
		return "", oidc.ErrInvalidScope().WithDescription("the scope openid is required")
	}
	if request.IDTokenHint == "" {
		return "", nil
	}
	hinted, err := p.verify(request.IDTokenHint)
	if err != nil {
		return "", oidc.ErrLoginRequired().WithDescription("the id_token_hint is not from here").WithParent(err)
	}
	return hinted.Subject, nil
}

// answer sends the browser back to the client with a code.
func (p *Provider) answer(w http.ResponseWriter, r *http.Request, request *oidc.AuthRequest, l login) {
	code := p.codes.issue(&codeGrant{
		grant: grant{
			account: p.byEmail[l.Email], clientID: request.ClientID, sid: l.SID, scopes: request.Scopes,
			authenticatedAt: l.AuthenticatedAt,
		},
		request: request,
	}, p.options.Now())
	p.respondTo(w, r, request, &op.CodeResponseType{Code: code, State: request.State})
}

// refuse sends the browser back to the client with an error.
func (p *Provider) refuse(w http.ResponseWriter, r *http.Request, request *oidc.AuthRequest, problem *oidc.Error) {
	p.options.Logger.Debug("sign-in request refused", "error", string(problem.ErrorType), "why", problem.Description)
	problem.State = request.State
	p.respondTo(w, r, request, problem)
}

func (p *Provider) respondTo(w http.ResponseWriter, r *http.Request, request *oidc.AuthRequest, response any) {
	address, err := op.AuthResponseURL(request.RedirectURI, request.ResponseType, request.ResponseMode, response,
		p.protocol.Encoder())
	if err != nil {
		p.options.Logger.Error("an answer to a sign-in request cannot be written", "error", err)
		from, _ := p.client(request.ClientID)
		p.pages.message(w, http.StatusInternalServerError, from.home, "Signing in failed",
			"The sign-in server cannot answer "+from.home.Name+", so you aren't signed in there. Try again in a while.")
		return
	}
	http.Redirect(w, r, address, http.StatusSeeOther)
}
