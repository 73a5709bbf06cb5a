package page

import (
	"encoding/json"
	"html"
	"net/url"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/site"
)

// personContent is what the template of somebody's page shows.
type personContent struct {
	catalog.Credited
	listContent

	Profile string // the address of their ORCID record; "" without one
}

// person returns whom a page shows, and their entries; nil if that isn't known.
func (a firstAnswer) person() *catalog.CreditedPage {
	var found catalog.CreditedPage
	if json.Unmarshal(a.body, &found) != nil || found.Person.ID == "" {
		return nil
	}
	return &found
}

func personPath(id string) string { return "/people/" + url.PathEscape(id) }

func profileOf(orcid string) string {
	if orcid == "" {
		return ""
	}
	return "https://orcid.org/" + orcid
}

// personHead returns what the document of somebody's page tells search engines, and chats that show a link.
func (s *Server) personHead(found *catalog.CreditedPage, content *site.Site) string {
	p, product := found.Person, content.Brand.Name
	address := s.options.PublicURL + personPath(p.ID)
	summary := "Entries of " + product + " that credit " + p.Name
	if p.Affiliation != nil {
		summary += ", " + p.Affiliation.Name
	}
	summary += "."
	var head strings.Builder
	for _, one := range [...]struct{ start, text string }{
		{`<link rel="canonical" href=`, address},
		{`<meta name="description" content=`, summary},
		{`<meta property="og:type" content=`, "profile"},
		{`<meta property="og:site_name" content=`, product},
		{`<meta property="og:title" content=`, p.Name},
		{`<meta property="og:description" content=`, summary},
		{`<meta property="og:url" content=`, address},
		{`<meta property="og:image" content=`, s.pictureOf(content.Landing)},
	} {
		if one.text == "" {
			continue
		}
		head.WriteString("\n    " + one.start + "\"" + html.EscapeString(one.text) + "\" data-entry>")
	}
	described := map[string]any{"@context": "https://schema.org/", "@type": "Person", "name": p.Name, "url": address}
	if profile := profileOf(p.ORCID); profile != "" {
		described["@id"], described["sameAs"] = profile, profile
		described["identifier"] = map[string]string{
			"@type": "PropertyValue", "propertyID": "https://registry.identifiers.org/registry/orcid", "value": "orcid:" + p.ORCID, "url": profile,
		}
	}
	if at := p.Affiliation; at != nil {
		organization := map[string]string{"@type": "Organization", "name": at.Name}
		if at.ROR != "" {
			organization["@id"] = at.ROR
		}
		described["affiliation"] = organization
	}
	// Marshal escapes <, > and &, so no name can end the element.
	if text, err := json.Marshal(described); err == nil {
		head.WriteString("\n    <script type=\"application/ld+json\" data-entry>" + string(text) + "</script>")
	}
	return head.String()
}
