package httpapi

import (
	"net/http"
	"strings"
)

// Rest returns the path of an operation whose last parameter is all that comes after a prefix: what has slashes, such as a DOI, may be sent
// with them or with their escapes.
func (api *API) Rest(prefix, parameter string) string {
	api.rests = append(api.rests, Base+prefix)
	return prefix + "{" + parameter + "}"
}

// escapeRests escapes the slashes in such parameters, because the router takes no more than one element of a path for a parameter.
func (api *API) escapeRests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		for _, prefix := range api.rests {
			rest, found := strings.CutPrefix(path, prefix)
			if !found || !strings.Contains(rest, "/") {
				continue
			}
			address := *r.URL
			address.RawPath = prefix + strings.ReplaceAll(rest, "/", "%2F")
			request := *r
			request.URL = &address
			r = &request
		}
		next.ServeHTTP(w, r)
	})
}
