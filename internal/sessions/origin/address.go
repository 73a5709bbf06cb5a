package origin

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

// The kinds of content behind the session origin: sessions, and frames that show notebooks.
const (
	sessionKind  = "s"
	notebookKind = "n"
)

// ownPrefix is the prefix of this server's own paths on the session origin; "/s/<id>/" is the session's server.
const ownPrefix = "/.cairn/"

func ownPath(id, name string) string { return ownPrefix + sessionKind + "/" + id + "/" + name }

// withinSession returns the session that a path belongs to, by its first part that names one, and what follows: the paths
// of every engine's servers contain such a part.
func withinSession(path string) (id, rest string) {
	for rest = path; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		if id = engine.SessionOf(part); id != "" {
			return id, rest
		}
	}
	return "", ""
}

// lastingPath is the permanent path of a session's page, which doesn't depend on its engine or change at the next
// start.
func lastingPath(path, id string) string {
	if strings.HasPrefix(path, sessions.ServerPath(id)) {
		return path
	}
	_, rest := withinSession(path)
	return sessions.ServerPath(id) + rest
}

// AddressTemplate makes the addresses of the session origin. In the host form each session has a host name of its own
// ("http://{kind}-{id}.localhost:8081"); in the path form all share one ("https://run.example.org/{kind}/{id}/").
type AddressTemplate struct {
	scheme string
	host   string // with placeholders in the host form
	hosts  *regexp.Regexp
}

// sessionPlace is where the host form has the session's name.
const sessionPlace = "{kind}-{id}"

const idPattern = `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`

// hostPattern matches a host name or address with or without a port, and nothing with a special meaning in a URL or a
// policy.
var hostPattern = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$`)

// ParseAddressTemplate parses a template; Invalid if it isn't one, or if its host is also the page's: cookies ignore
// ports, so the two must have different names.
func ParseAddressTemplate(text, publicHost string) (AddressTemplate, error) {
	wrong := fault.New(fault.Invalid, "session_url must look like http://{kind}-{id}.localhost:8081 or https://run.example.org/{kind}/{id}/")
	scheme, rest, found := strings.Cut(text, "://")
	if !found || (scheme != "http" && scheme != "https") {
		return AddressTemplate{}, wrong
	}
	host, path, _ := strings.Cut(strings.ToLower(rest), "/")
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme]) // browsers leave it out
	suffix, wildcard := strings.CutPrefix(host, "{kind}-{id}.")
	inHost := wildcard && path == ""
	inPath := !wildcard && strings.TrimSuffix(path, "/") == "{kind}/{id}"
	if (!inHost && !inPath) || !hostPattern.MatchString(suffix) {
		return AddressTemplate{}, wrong
	}
	if inPath && hostName(host) == hostName(publicHost) {
		return AddressTemplate{}, fault.New(fault.Invalid, "session_url must have another host name than public_url (%s): "+
			"cookies do not look at ports, so sessions could reach the page's", hostName(publicHost))
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(host), `\{kind\}-\{id\}`, `([sn])-(`+idPattern+`)`)
	return AddressTemplate{scheme: scheme, host: host, hosts: regexp.MustCompile(`^` + pattern + `$`)}, nil
}

func hostName(host string) string { return (&url.URL{Host: strings.ToLower(host)}).Hostname() }

// Origin returns the scheme and host of a session or notebook.
func (t AddressTemplate) Origin(kind, id string) string {
	return t.scheme + "://" + strings.ReplaceAll(t.host, sessionPlace, kind+"-"+id)
}

// Origins returns all of them as one source expression for a Content-Security-Policy.
func (t AddressTemplate) Origins() string {
	return t.scheme + "://" + strings.ReplaceAll(t.host, sessionPlace, "*")
}

// Secure reports whether cookies are only sent over TLS.
func (t AddressTemplate) Secure() bool { return t.scheme == "https" }

// Shared reports whether all sessions have one origin, so that the browser doesn't keep them apart.
func (t AddressTemplate) Shared() bool { return t.hosts.NumSubexp() == 0 }

// matches reports whether a request's host is that of this session or notebook.
func (t AddressTemplate) matches(host, kind, id string) bool {
	return strings.ToLower(host) == strings.ReplaceAll(t.host, sessionPlace, kind+"-"+id)
}

// FrameOrigin returns the origin of the frame that shows a notebook.
func (t AddressTemplate) FrameOrigin(notebookID string) string {
	return t.Origin(notebookKind, notebookID)
}

// HostsFrame reports whether a request's host is that of the frame that shows a notebook.
func (t AddressTemplate) HostsFrame(host, notebookID string) bool {
	return t.matches(host, notebookKind, notebookID)
}

// sessionOf returns the session that a host belongs to; false in the path form.
func (t AddressTemplate) sessionOf(host string) (id string, ok bool) {
	found := t.hosts.FindStringSubmatch(strings.ToLower(host))
	if len(found) < 3 || found[1] != sessionKind {
		return "", false
	}
	return found[2], true
}

// insidePath is where a browser goes once the session runs: to its destination, if that is in the session, else to the
// session's file. A destination is a path as it is before escaping, so a "?" or "#" in it belongs to a name. A page that
// the session's server doesn't have, because the session was started again with another Jupyter, becomes the one that it has.
func insidePath(session sessions.Session, next string) string {
	page, inside := strings.CutPrefix(next, sessions.ServerPath(session.ID))
	if strings.HasPrefix(next, editorPath(session.ID)) && path.Clean(next) == strings.TrimSuffix(next, "/") {
		return (&url.URL{Path: next}).EscapedPath()
	}
	if inside {
		next = sessions.ServerPath(session.ID) + session.Interface.Readdress(page)
	}
	inside = inside || strings.HasPrefix(next, ownPath(session.ID, signedInName)+"/")
	if inside && path.Clean(next) == strings.TrimSuffix(next, "/") && !strings.ContainsAny(next, "\\\r\n\t") {
		return (&url.URL{Path: next}).EscapedPath()
	}
	return session.ReadyPath()
}

// nextQuery carries a browser's destination in the addresses of our own pages.
func nextQuery(next string) string {
	if next == "" {
		return ""
	}
	return "?next=" + url.QueryEscape(next)
}

// signedInName is the page at which a sign-in from a page of a session ends; the path of that page follows it.
const signedInName = "signed-in"
