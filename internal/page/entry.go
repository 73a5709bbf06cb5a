package page

import (
	"encoding/json"
	"html"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"cairn/internal/catalog"
	"cairn/internal/httpapi"
)

// Lengths of descriptions in characters: for search engines and chats, and for programs.
const (
	previewLength = 200
	schemaLength  = 2000
)

// entryPath returns the path of an entry's page.
func entryPath(r catalog.Resource) string { return "/resources/" + r.Type.Plural() + "/" + r.ID }

// entryHead returns what the document of a public entry tells search engines, reference managers, and chats that show a
// link. The page removes the elements marked data-entry when it leaves the entry, because browsers share the canonical
// address.
func (s *Server) entryHead(r catalog.Resource, product string) string {
	address := s.options.PublicURL + entryPath(r)
	preview := r.Summary(previewLength)
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
	// Marshal escapes <, > and &, so no text of an entry can end the element, which is data: browsers don't run it.
	if data, err := json.Marshal(s.schemaOf(r, address, product)); err == nil {
		head.WriteString("\n    <script type=\"application/ld+json\" data-entry>" + string(data) + "</script>")
	}
	return head.String()
}

// schemaThing is an entry in the vocabulary of schema.org.
type schemaThing struct {
	Context             string         `json:"@context"`
	Type                string         `json:"@type"`
	ID                  string         `json:"@id"`
	Name                string         `json:"name"`
	Description         string         `json:"description,omitempty"`
	URL                 string         `json:"url"`
	Image               string         `json:"image,omitempty"`
	Keywords            []string       `json:"keywords,omitempty"`
	Creator             []schemaPerson `json:"creator"`
	DateCreated         time.Time      `json:"dateCreated"`
	DateModified        time.Time      `json:"dateModified"`
	IsAccessibleForFree bool           `json:"isAccessibleForFree"`

	CodeRepository  string           `json:"codeRepository,omitempty"`
	EncodingFormat  string           `json:"encodingFormat,omitempty"`
	SoftwareVersion string           `json:"softwareVersion,omitempty"`
	Catalog         *schemaCatalog   `json:"includedInDataCatalog,omitempty"`
	Distribution    []schemaDownload `json:"distribution,omitempty"`
}

// schemaPerson has no address: what reads the documents of strangers' pages also collects addresses.
type schemaPerson struct {
	Type string `json:"@type"`
	Name string `json:"name"`
}

// nameIn returns a name for an e-mail address, from the part before the @.
func nameIn(address string) string {
	local, _, _ := strings.Cut(address, "@")
	words := strings.FieldsFunc(local, func(r rune) bool { return r == '.' || r == '_' || r == '-' || r == '+' })
	for i, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		words[i] = string(unicode.ToUpper(first)) + word[size:]
	}
	return strings.Join(words, " ")
}

type schemaCatalog struct {
	Type string `json:"@type"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

type schemaDownload struct {
	Type       string `json:"@type"`
	ContentURL string `json:"contentUrl"`
	Format     string `json:"encodingFormat,omitempty"`
}

func (s *Server) schemaOf(r catalog.Resource, address, product string) schemaThing {
	thing := schemaThing{
		Context: "https://schema.org", Type: "CreativeWork", ID: address, Name: r.Name, Description: r.Summary(schemaLength), URL: address,
		Creator: []schemaPerson{}, DateCreated: r.CreatedAt, DateModified: r.UpdatedAt, IsAccessibleForFree: true,
	}
	if r.HeaderImageURL != "" {
		thing.Image = s.options.PublicURL + r.HeaderImageURL
	}
	for _, tag := range r.Tags {
		thing.Keywords = append(thing.Keywords, tag.Value)
	}
	for _, person := range r.People {
		if person.Name != "" {
			thing.Creator = append(thing.Creator, schemaPerson{"Person", person.Name})
		}
	}
	for _, author := range r.Authors {
		thing.Creator = append(thing.Creator, schemaPerson{"Person", nameIn(author)})
	}
	files := s.options.PublicURL + httpapi.Base + "/resources/public/" + r.ID
	switch r.Type {
	case catalog.Repository:
		thing.Type, thing.CodeRepository = "SoftwareSourceCode", r.RepositoryURL
	case catalog.Notebook:
		// schema.org has no type for notebooks. Source code comes nearest: archives of research software list notebooks as
		// such. The format distinguishes them from other code.
		thing.Type, thing.EncodingFormat = "SoftwareSourceCode", "application/x-ipynb+json"
		thing.Distribution = []schemaDownload{{"DataDownload", files + "/notebook/file", thing.EncodingFormat}}
	case catalog.Model:
		// A model here is a versioned program that a platform runs for people, not a set of weights.
		thing.Type, thing.SoftwareVersion = "SoftwareApplication", r.Version
	case catalog.Dataset:
		thing.Type, thing.Catalog = "Dataset", &schemaCatalog{"DataCatalog", product, s.options.PublicURL + "/resources"}
		switch {
		case catalog.ValidHTTPS(r.DatasetURL): // other addresses only have a meaning on this server
			thing.Distribution = []schemaDownload{{"DataDownload", r.DatasetURL, ""}}
		case s.options.Downloads && !r.DataMissing:
			thing.Distribution = []schemaDownload{{"DataDownload", files + "/dataset.zip", "application/zip"}}
		}
	}
	return thing
}
