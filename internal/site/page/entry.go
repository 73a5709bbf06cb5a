package page

import (
	"html"
	"strings"

	"cairn/internal/entries/catalog"
)

// previewLength is the length of descriptions for search engines and chats, in characters.
const previewLength = 200

// entryPath returns the path of an entry's page.
func entryPath(r catalog.Entry) string { return "/resources/" + r.Type.Plural() + "/" + r.ID }

// entryHead returns what the document of a public entry tells search engines, reference managers, and chats that show a
// link. The page removes the elements marked data-entry when it leaves the entry, because browsers share the canonical
// address.
func (s *Server) entryHead(r catalog.Resource, product string, described []byte) string {
	address := s.options.PublicURL + entryPath(*r.Entry())
	preview := r.Entry().Summary(previewLength)
	if preview == "" {
		preview = "An entry of " + product + "."
	}
	var head strings.Builder
	add := func(start, text string) {
		head.WriteString("\n    " + start + "\"" + html.EscapeString(text) + "\" data-entry>")
	}
	add(`<link rel="canonical" href=`, address)
	add(`<meta name="description" content=`, preview)
	add(`<meta property="og:type" content=`, "website") // Open Graph has no type for data or code
	add(`<meta property="og:site_name" content=`, product)
	add(`<meta property="og:title" content=`, r.Name)
	add(`<meta property="og:description" content=`, preview)
	add(`<meta property="og:url" content=`, address)
	if r.CoverURL != "" {
		add(`<meta property="og:image" content=`, s.options.PublicURL+r.CoverURL+"&og=1")
	}
	if described != nil {
		head.WriteString("\n    <script type=\"application/ld+json\" data-entry>" + string(described) + "</script>")
	}
	return head.String()
}
