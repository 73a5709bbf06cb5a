package main

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/ory/fosite"
)

// count keeps "POST /token refresh_token 200" and the like.
func (p *provider) count(r *http.Request, status int) {
	what := r.Method + " " + r.URL.Path
	if grant := r.PostForm.Get("grant_type"); grant != "" {
		what += " " + grant
	}
	p.counts[fmt.Sprintf("%s %d", what, status)]++
}

func (p *provider) tellRequests(w http.ResponseWriter, _ *http.Request) { writeJSON(w, p.counts) }

func (p *provider) forgetRequests(http.ResponseWriter, *http.Request) { clear(p.counts) }

// changeClient registers the addresses of the client anew: a test knows them only once Cairn runs, and Cairn starts
// with the issuer's address.
func (p *provider) changeClient(w http.ResponseWriter, r *http.Request) {
	var client struct {
		RedirectURI   string `json:"redirectUri"`
		PostLogoutURI string `json:"postLogoutUri"`
		Origin        string `json:"origin"`
	}
	if err := json.NewDecoder(r.Body).Decode(&client); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.options.postLogoutURI, p.options.origin = client.PostLogoutURI, client.Origin
	if portal, ok := p.memory.Clients[p.options.clientID].(*fosite.DefaultClient); ok {
		portal.RedirectURIs = []string{client.RedirectURI}
	}
}

// disturb takes a JSON object of paths, each "unavailable" (503) or "nonsense" (200 with something else), and lets all
// others answer again.
func (p *provider) disturb(w http.ResponseWriter, r *http.Request) {
	var wanted map[string]string
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.disturbed = wanted
}

// rotateKeys signs with a new key. The old ones stay published, as careful providers do.
func (p *provider) rotateKeys(w http.ResponseWriter, _ *http.Request) {
	if err := p.keys.rotate(false); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// endAccessTokens makes all access tokens of before bad: those that are looked up, and those that are verified by key.
// Refresh tokens and logins go on.
func (p *provider) endAccessTokens(w http.ResponseWriter, _ *http.Request) {
	clear(p.memory.AccessTokens)
	if err := p.keys.rotate(true); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// endLogins signs everybody out here, and their refresh tokens with them.
func (p *provider) endLogins(http.ResponseWriter, *http.Request) { clear(p.logins) }
