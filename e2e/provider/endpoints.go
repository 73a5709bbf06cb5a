package main

import (
	"maps"
	"net/http"

	"github.com/ory/fosite"
)

// discovery is the provider's metadata.
func (p *provider) discovery(w http.ResponseWriter, _ *http.Request) {
	scopes := []string{"openid", "profile", "email"}
	grants := []string{"authorization_code"}
	if p.options.refresh {
		scopes, grants = append(scopes, "offline_access"), append(grants, "refresh_token")
	}
	writeJSON(w, map[string]any{
		"issuer":                                p.issuer,
		"authorization_endpoint":                p.issuer + "/authorize",
		"token_endpoint":                        p.issuer + "/token",
		"userinfo_endpoint":                     p.issuer + "/userinfo",
		"introspection_endpoint":                p.issuer + "/introspect",
		"revocation_endpoint":                   p.issuer + "/revoke",
		"jwks_uri":                              p.issuer + "/keys",
		"end_session_endpoint":                  p.issuer + "/logout",
		"response_types_supported":              []string{"code"},
		"response_modes_supported":              []string{"query"},
		"grant_types_supported":                 grants,
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"scopes_supported":                      scopes,
		"code_challenge_methods_supported":      []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"},
		"prompt_values_supported":               []string{"none", "login", "select_account"},
		"claims_supported":                      []string{"sub", "email", "email_verified", "name", "auth_time", "sid"},
	})
}

func (p *provider) publicKeys(w http.ResponseWriter, _ *http.Request) { writeJSON(w, p.keys.public()) }

// token gives tokens for a code or a refresh token. A refresh token serves once: used again, its family ends.
func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	request, err := p.oauth.NewAccessRequest(r.Context(), r, emptySession())
	if err != nil {
		p.oauth.WriteAccessError(r.Context(), w, request, err)
		return
	}
	response, err := p.oauth.NewAccessResponse(r.Context(), request)
	if err != nil {
		p.oauth.WriteAccessError(r.Context(), w, request, err)
		return
	}
	p.oauth.WriteAccessResponse(r.Context(), w, request, response)
}

// userinfo says who an access token is about, whatever the tokens themselves say.
func (p *provider) userinfo(w http.ResponseWriter, r *http.Request) {
	_, request, err := p.oauth.IntrospectToken(r.Context(), fosite.AccessTokenFromRequest(r), fosite.AccessToken, emptySession())
	if err != nil {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	about, _ := request.GetSession().(*session)
	said := map[string]any{"sub": about.account.subject}
	maps.Copy(said, about.account.claims())
	writeJSON(w, said)
}

// introspect answers the gateway (RFC 7662).
func (p *provider) introspect(w http.ResponseWriter, r *http.Request) {
	response, err := p.oauth.NewIntrospectionRequest(r.Context(), r, emptySession())
	if err != nil {
		p.oauth.WriteIntrospectionError(r.Context(), w, err)
		return
	}
	p.oauth.WriteIntrospectionResponse(r.Context(), w, response)
}

func (p *provider) revoke(w http.ResponseWriter, r *http.Request) {
	p.oauth.WriteRevocationResponse(r.Context(), w, p.oauth.NewRevocationRequest(r.Context(), r))
}
