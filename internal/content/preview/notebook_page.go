package preview

import (
	"mime"
	"net/url"
	"slices"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
)

// webPage is a page to which the address of a notebook leads: an export by nbconvert, a viewer, a page of documentation.
// It stays at its host: it is shown from there to readers who ask for it.
type webPage struct {
	Address string `json:"address"` // after redirects; https
	// What the host says about who may frame the page: X-Frame-Options, and the policies in Content-Security-Policy.
	Options  []string `json:"options,omitempty"`
	Policies []string `json:"policies,omitempty"`
}

// webPageIn returns the page that a source sent; nil for what browsers don't show as a page, or not from an https address.
func webPageIn(response *safehttp.Response) *webPage {
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	disposition, _, _ := mime.ParseMediaType(response.Header.Get("Content-Disposition"))
	if err != nil || media != "text/html" && media != "application/xhtml+xml" || disposition == "attachment" || !strings.HasPrefix(response.Address, "https://") {
		return nil
	}
	return &webPage{
		Address: response.Address, Options: response.Header.Values("X-Frame-Options"), Policies: response.Header.Values("Content-Security-Policy"),
	}
}

// host returns the host, as people read it.
func (p *webPage) host() string {
	address, err := url.Parse(p.Address)
	if err != nil {
		return p.Address
	}
	return address.Host
}

// mayBeFramed reports whether the page's host lets pages of all these origins frame it, by the rules of browsers: a list
// of ancestors in a policy replaces X-Frame-Options, of which unknown values don't count.
func (p *webPage) mayBeFramed(by ...string) bool {
	listed := false
	for policy := range strings.SplitSeq(strings.Join(p.Policies, ","), ",") {
		sources, has := ancestorsIn(policy)
		listed = listed || has
		for _, origin := range by {
			if has && !slices.ContainsFunc(sources, func(source string) bool { return admits(source, origin) }) {
				return false
			}
		}
	}
	if listed {
		return true
	}
	for option := range strings.SplitSeq(strings.Join(p.Options, ","), ",") {
		if option = strings.ToLower(strings.TrimSpace(option)); option == "deny" || option == "sameorigin" {
			return false
		}
	}
	return true
}

// ancestorsIn returns the sources of a policy's first frame-ancestors directive; browsers ignore the others.
func ancestorsIn(policy string) (sources []string, has bool) {
	for directive := range strings.SplitSeq(policy, ";") {
		if words := strings.Fields(directive); len(words) > 0 && strings.EqualFold(words[0], "frame-ancestors") {
			return words[1:], true
		}
	}
	return nil, false
}

// admits reports whether a source expression of a policy admits an origin. A doubtful one doesn't: the page is opened at
// its host then.
func admits(source, origin string) bool {
	asked, err := url.Parse(origin)
	if err != nil {
		return false
	}
	source = strings.ToLower(source)
	scheme, host, hasScheme := strings.Cut(source, "://")
	switch {
	case source == "*":
		return true
	case source == "https:" || source == "http:":
		return source == asked.Scheme+":" || source == "http:" && asked.Scheme == "https"
	case !hasScheme:
		scheme, host = "https", source // the page's own scheme
	}
	if scheme != asked.Scheme && (scheme != "http" || asked.Scheme != "https") {
		return false
	}
	host, _, _ = strings.Cut(host, "/")
	name, port, _ := strings.Cut(host, ":")
	if port != "*" && port != asked.Port() && (port != "" || asked.Port() != "") {
		return false
	}
	if below, isAny := strings.CutPrefix(name, "*"); isAny {
		return strings.HasPrefix(below, ".") && strings.HasSuffix(asked.Hostname(), below)
	}
	return name == asked.Hostname()
}

// errWebPage says that a page was found where a notebook's file is needed.
func errWebPage() *fault.Fault {
	return fault.New(fault.Invalid, "Its address leads to a web page, not a notebook. The address of the file itself is needed.")
}

// NotebookPage is a web page that stands in for a notebook's file.
type NotebookPage struct {
	URL      string `json:"url" doc:"The page at its host"`
	Host     string `json:"host"`
	FrameURL string `json:"frameUrl,omitempty" doc:"Shows the page in a frame, for readers who ask for it: its host learns of them. Good for 12 hours; absent where the host forbids frames"`
}

// pageOf returns the page of an entry for a reader; nil for a notebook.
func (n *Notebooks) pageOf(shown shownNotebook, entry catalog.Entry, reader string) *NotebookPage {
	if shown.Page == nil {
		return nil
	}
	page := &NotebookPage{URL: shown.Page.Address, Host: shown.Page.host()}
	if shown.Page.mayBeFramed(n.options.Public, n.frames.addresses.FrameOrigin(entry.ID)) {
		page.FrameURL = n.parts.url(entry, reader, "", 1) + "&" + askedForPage
	}
	return page
}

// askedForPage is in the address of a frame whose reader has asked for the page.
const askedForPage = "page=shown"
