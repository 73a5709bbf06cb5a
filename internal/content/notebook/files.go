package notebook

import (
	"html"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Addresses are what a rendered notebook leads to and only whoever shows it knows.
type Addresses struct {
	Whole   string                         // of all parts together
	Picture func(file string) string       // of a picture in the notebook's repository, by its path there
	Link    func(file, rest string) string // of anything in the repository, "" for its root; rest is a query and a fragment, as written
}

// The begins of the attributes that wait for an address. No author can write them: quotation marks of theirs are escaped.
const (
	wholeBegin   = ` href="whole:`
	linkBegin    = ` href="repository:`
	pictureBegin = ` src="repository:`
)

var waiting = regexp.MustCompile(` (?:href="whole|(?:href|src)="repository):([^"?#]*)([^"]*)"`)

// WithAddresses returns the HTML of a Document with addresses in all places that wait for them.
func WithAddresses(content []byte, addresses Addresses) []byte {
	return waiting.ReplaceAllFunc(content, func(attribute []byte) []byte {
		parts := waiting.FindSubmatch(attribute)
		file, err := url.PathUnescape(html.UnescapeString(string(parts[1])))
		if err != nil {
			return nil // they are escaped below
		}
		rest := html.UnescapeString(string(parts[2]))
		switch text := string(attribute); {
		case strings.HasPrefix(text, wholeBegin):
			return []byte(` href="` + escape(addresses.Whole+rest) + `"`)
		case strings.HasPrefix(text, pictureBegin):
			return []byte(` src="` + escape(addresses.Picture(file)) + `"`)
		}
		return []byte(` href="` + escape(addresses.Link(file, rest)) + `"`)
	})
}

// waitingFor returns what stands for the address of a file until there is one.
func waitingFor(file, rest string) string {
	return "repository:" + (&url.URL{Path: "/" + file}).EscapedPath()[1:] + rest
}

// fileOf returns the path in the notebook's repository that a reference leads to, "" for the root, and the query and fragment
// behind it. Like in a README, a reference that begins with a slash starts at the root. It is false for what leads elsewhere,
// and if the notebook is in no repository.
func (p *page) fileOf(reference string) (file, rest string, ok bool) {
	parsed, err := url.Parse(strings.TrimSpace(reference))
	if err != nil || p.path == "" || parsed.Scheme != "" || parsed.Host != "" || parsed.Path == "" {
		return "", "", false
	}
	named := strings.ReplaceAll(parsed.Path, `\`, "/") // as browsers do, for paths of Windows
	if strings.HasPrefix(named, "//") || !utf8.ValidString(named) || strings.ContainsFunc(named, unicode.IsControl) {
		return "", "", false
	}
	file, absolute := strings.CutPrefix(named, "/")
	if !absolute {
		file = path.Join(path.Dir(p.path), file)
	}
	file = path.Clean("./" + file)
	if file == ".." || strings.HasPrefix(file, "../") {
		return "", "", false
	}
	if file == "." {
		file = ""
	} else if strings.HasSuffix(named, "/") {
		file += "/" // a folder
	}
	parsed.Path, parsed.RawPath = "", ""
	return file, parsed.String(), true
}
