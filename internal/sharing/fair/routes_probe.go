package fair

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// probe is what anonymous requests find out about an entry at its addresses, without JavaScript.
type probe struct {
	page, export, negotiated, downloaded bool

	links  []link
	schema node // what the page's head says
	words  int  // characters of text on the page
}

func (p probe) link(relation string) string {
	for _, one := range p.links {
		if one.Relation == relation {
			return one.Target
		}
	}
	return ""
}

func (p probe) has(properties ...string) bool {
	for _, name := range properties {
		switch value := p.schema[name].(type) {
		case nil:
			return false
		case string:
			if value == "" {
				return false
			}
		case []any:
			if len(value) == 0 {
				return false
			}
		}
	}
	return true
}

func (p probe) files() (list []node) {
	found, _ := p.schema["distribution"].([]any)
	for _, one := range found {
		if file, ok := one.(map[string]any); ok {
			list = append(list, file)
		}
	}
	return list
}

func (p probe) file(property string) string {
	for _, file := range p.files() {
		if text, _ := file[property].(string); text != "" {
			return text
		}
	}
	return ""
}

// content is the address of a file.
func (p probe) content() string {
	if address := p.file("contentUrl"); address != "" {
		return address
	}
	return p.link("item")
}

func (p probe) everybodyKnown() bool {
	people, _ := p.schema["creator"].([]any)
	for _, one := range people {
		person, _ := one.(map[string]any)
		if id, _ := person["@id"].(string); !strings.HasPrefix(id, orcidResolver) {
			return false
		}
	}
	return len(people) > 0
}

// heldAnswer keeps the beginning of an answer that the server gives itself.
type heldAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// answerLimit is how much of an answer is kept, in bytes.
const answerLimit = 4 << 20

func (w *heldAnswer) Header() http.Header { return w.header }

func (w *heldAnswer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *heldAnswer) Write(content []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.body.Write(content[:min(len(content), max(answerLimit-w.body.Len(), 0))])
	return len(content), nil
}

// handler is a handler, for those who know nothing of HTTP.
type handler http.Handler

// SetSelf sets the handler of the catalog's own address, which answers the anonymous requests of scores. It must be called before
// the first request.
func (s *Service) SetSelf(own http.Handler) { s.self = own }

// ask requests one of our own addresses anonymously. It returns nil for addresses of other servers, which it doesn't ask.
func (s *Service) ask(ctx context.Context, address string, headers map[string]string) *heldAnswer {
	public := s.options.Site().Public
	if s.self == nil || (address != public && !strings.HasPrefix(address, public+"/")) {
		return nil
	}
	// The caller stays out of it: the context of the request has only its end.
	request, err := http.NewRequestWithContext(withoutValues{ctx}, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil
	}
	request.RequestURI = request.URL.RequestURI()
	request.Host = request.URL.Host
	request.URL = &url.URL{Path: request.URL.Path, RawPath: request.URL.RawPath, RawQuery: request.URL.RawQuery}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer := &heldAnswer{header: http.Header{}}
	s.self.ServeHTTP(answer, request)
	return answer
}

// withoutValues is a context that ends with another one and knows nobody.
type withoutValues struct{ context.Context }

// Value implements context.Context.
func (withoutValues) Value(any) any { return nil }

// probe asks for the page of an entry, its forms, and one of its files.
func (s *Service) probe(ctx context.Context, r Record) (p probe) {
	if answer := s.ask(ctx, r.Address, map[string]string{"Accept": "text/html, */*"}); answer != nil {
		p.page = answer.status == http.StatusOK
		p.links = readLinks(answer.header.Get("Link"))
		p.schema, p.words = readPage(answer.body.Bytes())
	}
	if answer := s.ask(ctx, r.Address, map[string]string{"Accept": jsonLDType}); answer != nil {
		p.negotiated = answer.status == http.StatusOK && json.Valid(answer.body.Bytes())
	}
	for _, one := range p.links {
		if one.Relation == "describedby" && one.Type == jsonLDType {
			answer := s.ask(ctx, one.Target, nil)
			p.export = answer != nil && answer.status == http.StatusOK
			break
		}
	}
	if answer := s.ask(ctx, p.content(), map[string]string{"Range": "bytes=0-0"}); answer != nil {
		p.downloaded = answer.status == http.StatusOK || answer.status == http.StatusPartialContent
	}
	return p
}

// readLinks reads a Link header as we write it: commas and semicolons only divide.
func readLinks(header string) (links []link) {
	for _, text := range unquotedFields(header, ',') {
		parts := unquotedFields(text, ';')
		one := link{Target: strings.Trim(parts[0], "<>")}
		for _, part := range parts[1:] {
			name, value, _ := strings.Cut(part, "=")
			value = strings.Trim(value, `"`)
			switch name {
			case "rel":
				one.Relation = value
			case "type":
				one.Type = value
			case "profile":
				one.Profile = value
			}
		}
		if one.Relation != "" {
			links = append(links, one)
		}
	}
	return links
}

// readPage returns what the head of a page says in JSON-LD, and how much text its body has without scripts.
func readPage(text []byte) (schema node, words int) {
	tokens := html.NewTokenizer(bytes.NewReader(text))
	inScript, isData, inBody := false, false, false
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return schema, words
		case html.StartTagToken:
			token := tokens.Token()
			inBody = inBody || token.Data == "body"
			inScript = token.Data == "script" || token.Data == "style"
			isData = false
			for _, attribute := range token.Attr {
				isData = isData || (attribute.Key == "type" && attribute.Val == jsonLDType)
			}
		case html.TextToken:
			switch {
			case inScript && isData && schema == nil:
				if json.Unmarshal(tokens.Raw(), &schema) != nil {
					schema = nil
				}
			case !inScript && inBody:
				words += len(bytes.TrimSpace(tokens.Text()))
			}
		case html.EndTagToken:
			inScript, isData = false, false
		default:
		}
	}
}
