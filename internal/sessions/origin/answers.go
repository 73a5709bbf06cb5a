package origin

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptrace"
	"strings"

	"cairn/internal/sessions/engine"
)

const contentSecurityPolicy = "Content-Security-Policy"

// answerHeaders are the headers that pass from a session's server to a browser. The session's code may have replaced
// the server, so only these pass: no cookies, no rights for other sites, no reports to them, no wider scope for service
// workers, and nothing that proxies in front of this server would obey.
var answerHeaders = map[string]bool{
	"Accept-Ranges": true, "Allow": true, "Cache-Control": true, "Content-Disposition": true, "Content-Encoding": true,
	"Content-Language": true, "Content-Length": true, "Content-Range": true, contentSecurityPolicy: true, "Content-Type": true,
	"Date": true, "Etag": true, "Expires": true, "Last-Modified": true, "Location": true, "Pragma": true, "Retry-After": true, "Vary": true,
	"X-Jupyterhub-Version": true, engine.KeptHeader: true,
}

// upgradeHeaders are the additional headers of an answer that opens a websocket.
var upgradeHeaders = map[string]bool{
	"Connection": true, "Upgrade": true, "Sec-Websocket-Accept": true, "Sec-Websocket-Extensions": true, "Sec-Websocket-Protocol": true,
}

var (
	errNotAsked = errors.New("the session's server upgraded a connection that was not to be upgraded")
	errStatus   = errors.New("the session's server answered with a status that doesn't exist")
)

// keepKnownHeaders removes all other headers from an answer. Its error says that the answer can't be passed on.
func keepKnownHeaders(response *http.Response, request *http.Request) error {
	if status := response.StatusCode; status != http.StatusSwitchingProtocols && (status < 200 || status > 599) {
		return errStatus
	}
	upgraded := response.StatusCode == http.StatusSwitchingProtocols
	if upgraded && request.Header.Get("Upgrade") == "" {
		return errNotAsked
	}
	maps.DeleteFunc(response.Header, func(name string, _ []string) bool {
		return !answerHeaders[name] && (!upgraded || !upgradeHeaders[name])
	})
	return nil
}

// finalAnswers drops the interim answers (1xx) and the trailers of a session's server: the proxy would copy the headers
// of both, and clears our own after an interim answer.
type finalAnswers struct{ from http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (f finalAnswers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := f.from.RoundTrip(request.WithContext(untraced{request.Context()}))
	if err != nil {
		return nil, err
	}
	final := *response // trailers are added to the transport's own header
	final.Trailer = nil
	return &final, nil
}

// untraced is a context without the trace through which the proxy receives interim answers.
type untraced struct{ context.Context }

// Value implements context.Context.
func (u untraced) Value(key any) any {
	value := u.Context.Value(key)
	if _, trace := value.(*httptrace.ClientTrace); trace {
		return nil
	}
	return value
}

// guard sets the headers of every answer of the session origin.
func guard(header http.Header) {
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	header.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups") // the page that opened a session can't control it
	header.Set("Cross-Origin-Resource-Policy", "same-origin")            // no other page includes its files
}

// includedElsewhere reports whether a page of another origin requests a file to use it there, as with <script src>.
// Cookies don't prevent that, because sessions' hosts are one site. Links into a session may be followed.
func includedElsewhere(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "same-site" || site == "cross-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// setFrameAncestors only lets the page frame an answer. The rest of its policies stays: Jupyter sandboxes users' HTML
// files with them.
func setFrameAncestors(header http.Header, public string) {
	policies := strings.Split(strings.Join(header.Values(contentSecurityPolicy), ","), ",")
	header.Set(contentSecurityPolicy, "frame-ancestors 'self' "+public)
	for _, policy := range policies {
		var kept []string
		for directive := range strings.SplitSeq(policy, ";") {
			directive = strings.TrimSpace(directive)
			if name, _, _ := strings.Cut(directive, " "); directive != "" && !strings.EqualFold(name, "frame-ancestors") {
				kept = append(kept, directive)
			}
		}
		if len(kept) > 0 {
			header.Add(contentSecurityPolicy, strings.Join(kept, "; "))
		}
	}
}
