package safehttp_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
)

// TestSSRFOneTrustedOriginOpensNoOther: what it redirects to is looked at as for everybody, and doesn't get its password.
func TestSSRFOneTrustedOriginOpensNoOther(t *testing.T) {
	t.Parallel()
	other := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("another server of the private network was asked") })
	trusted := serve(t, nil)
	trusted.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/elsewhere":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/here":
			http.Redirect(w, r, "/page", http.StatusFound)
		default:
			fmt.Fprint(w, r.Header.Get("Authorization"))
		}
	})
	origin, err := url.Parse(trusted.URL)
	if err != nil {
		t.Fatal(err)
	}
	strict := safehttp.New(safehttp.Options{})
	client := strict.Trusting(origin)
	response, body, err := client.Read(t.Context(), safehttp.Request{
		Address: trusted.URL + "/here", MaxBytes: 100, Header: http.Header{"Authorization": {"Basic eDp5"}},
	})
	if err != nil || response.Status != http.StatusOK || string(body) != "Basic eDp5" {
		t.Errorf("the trusted origin answers %q %v", body, err)
	}
	_, _, err = read(t, client, trusted.URL+"/elsewhere")
	wantFault(t, err, fault.Invalid, "redirects to an address that this server doesn't visit")
	_, _, err = read(t, client, other.URL)
	wantFault(t, err, fault.Invalid, "must begin with https://")
	_, _, err = read(t, client, "https://"+other.Listener.Addr().String())
	wantFault(t, err, fault.Invalid, "private network")
	_, _, err = read(t, strict, trusted.URL)
	wantFault(t, err, fault.Invalid, "must begin with https://")
}
