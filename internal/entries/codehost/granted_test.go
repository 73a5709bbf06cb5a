package codehost_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/hosttest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/people/connections"

	"golang.org/x/oauth2"
)

// What a token may really do is found out, whatever it is said to be.
func TestWhatATokenGrants(t *testing.T) {
	t.Parallel()
	const (
		identity, read, write, all, unknown = connections.RightIdentity, connections.RightRead, connections.RightWrite, connections.RightAll, connections.RightUnknown
	)
	for kind, one := range map[string]struct {
		start  func(*testing.T, []hosttest.Repository) *hosttest.StandIn
		api    string
		grants map[string][]connections.Right // by the scopes of the token
	}{
		"github": {hosttest.StartGitHub, "/api", map[string][]connections.Right{
			"": {identity, read, unknown}, "repo": {identity, read, write}, "read:user": {identity, read}, "repo,delete_repo": {identity, read, write},
		}},
		"gitlab": {hosttest.StartGitLab, "", map[string][]connections.Right{
			"": {read}, "read_api": {read}, "api": {all}, "read_user,read_repository": {identity, read}, "write_repository": {write},
		}},
		"forgejo": {hosttest.StartGitea, "", map[string][]connections.Right{
			"": {identity, read}, "all": {identity, read, write, all}, "write:repository": {read, write}, "read:repository": {read},
		}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			stand := one.start(t, nil)
			options := codehost.ConnectionOptions{Kind: kind, Name: kind, URL: stand.URL, Client: hosttest.Client()}
			if one.api != "" {
				options.APIURL = stand.URL + one.api
			}
			host := codehost.ConnectionOf(options)
			for scopes, want := range one.grants {
				person := hosttest.Person{Login: "ada", Token: "token-of-ada"}
				if scopes != "" {
					person.Scopes = strings.Split(scopes, ",")
				}
				stand.SetPerson(person)
				granted, err := host.Look(t.Context(), "token-of-ada")
				slices.Sort(granted.Rights)
				want = slices.Sorted(slices.Values(want))
				if err != nil || !slices.Equal(slices.Compact(granted.Rights), want) {
					t.Errorf("%q: %+v %v, want %q", scopes, granted, err, want)
				}
				if slices.Contains(want, identity) && granted.Login != "ada" {
					t.Errorf("%q: whose it is: %q", scopes, granted.Login)
				}
			}
			if granted, err := host.Look(t.Context(), "of nobody"); fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "of nobody") {
				t.Errorf("a token of nobody: %+v %v", granted, err)
			}
			stand.Disturb(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusBadGateway); return true })
			if granted, err := host.Look(t.Context(), "token-of-ada"); fault.CodeOf(err) != fault.CodehostUnavailable {
				t.Errorf("while it is down: %+v %v", granted, err)
			}
		})
	}
}

// A host that answers slowly, without an end, with nonsense or from elsewhere gives no right and no secret.
func TestHostileHostsOfConnections(t *testing.T) {
	t.Parallel()
	elsewhere := hosttest.StartGitLab(t, nil) // which gets no token
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"nonsense": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>are you a person?")) },
		"endless": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		},
		"a redirect to another server": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusFound)
		},
		"a redirect into a private network": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		},
	} {
		for _, kind := range []string{"github", "gitlab", "forgejo", "bitbucket"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				stand := hosttest.StartGitLab(t, nil)
				stand.Disturb(func(w http.ResponseWriter, r *http.Request) bool { answer(w, r); return true })
				host := codehost.ConnectionOf(codehost.ConnectionOptions{Kind: kind, Name: kind, URL: stand.URL, Client: hosttest.Client()})
				granted, err := host.Look(t.Context(), "token-of-ada")
				if granted.Login != "" || slices.Contains(granted.Rights, connections.RightAll) {
					t.Errorf("it grants %+v, %v", granted, err)
				}
			})
		}
	}
}

// Nothing of a connection reaches a private network that operators haven't allowed.
func TestConnectionsInPrivateNetworks(t *testing.T) {
	t.Parallel()
	stand := hosttest.StartGitLab(t, nil)
	stand.SetPerson(hosttest.Person{Login: "ada", Token: "token-of-ada"})
	strict := safehttp.New(safehttp.Options{AllowHTTP: true})
	_, port, _ := strings.Cut(strings.TrimPrefix(stand.URL, "http://"), ":")
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "169.254.169.254", "192.168.1.1", "[fd00::1]", "[fe80::1]", "2130706433", "0x7f.1"} {
		address := "http://" + name + ":" + port
		for _, kind := range []string{"github", "gitlab", "forgejo", "bitbucket"} {
			host := codehost.ConnectionOf(codehost.ConnectionOptions{
				Kind: kind, Name: kind, URL: address, ClientID: "id", ClientSecret: "secret", RedirectURL: "https://cairn.example.org/account/connected", Client: strict,
			})
			if granted, err := host.Look(t.Context(), "token-of-ada"); err == nil {
				t.Errorf("%s at %s grants %+v", kind, address, granted)
			}
			if done, err := host.Revoke(t.Context(), "token-of-ada"); done {
				t.Errorf("%s at %s revokes, %v", kind, address, err)
			}
			_, err := host.OAuth.Exchange(context.WithValue(t.Context(), oauth2.HTTPClient, host.Client), "code")
			if _, answered := errors.AsType[*oauth2.RetrieveError](err); err == nil || answered {
				t.Errorf("%s at %s answers to OAuth: %v", kind, address, err)
			}
		}
	}
	if paths := stand.Paths(); len(paths) > 0 {
		t.Errorf("it was reached: %q", paths)
	}
}

func TestRevoking(t *testing.T) {
	t.Parallel()
	stand := hosttest.StartGitLab(t, nil)
	var revoked []string
	stand.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && r.URL.Path == "/oauth/revoke" && r.FormValue("client_secret") == "secret" {
			revoked = append(revoked, r.FormValue("token"))
			return true
		}
		if user, password, ok := r.BasicAuth(); ok && r.Method == http.MethodDelete && r.URL.Path == "/api/v3/applications/id/token" && user == "id" && password == "secret" {
			revoked = append(revoked, "at GitHub")
			w.WriteHeader(http.StatusNoContent)
			return true
		}
		return false
	})
	for kind, want := range map[string]bool{"gitlab": true, "github": true, "forgejo": false, "bitbucket": false} {
		host := codehost.ConnectionOf(codehost.ConnectionOptions{Kind: kind, Name: kind, URL: stand.URL, ClientID: "id", ClientSecret: "secret", Client: hosttest.Client()})
		if done, err := host.Revoke(t.Context(), "token-of-ada"); done != want || err != nil {
			t.Errorf("%s: %v %v", kind, done, err)
		}
	}
	slices.Sort(revoked)
	if !slices.Equal(revoked, []string{"at GitHub", "token-of-ada"}) {
		t.Errorf("revoked: %q", revoked)
	}
	if host := codehost.ConnectionOf(codehost.ConnectionOptions{Kind: "gitlab", URL: stand.URL, Client: hosttest.Client()}); host.OAuth != nil {
		t.Error("OAuth without a client")
	}
}
