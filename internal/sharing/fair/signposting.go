package fair

import (
	"fmt"
	"strconv"
	"strings"

	"cairn/internal/entries/catalog"
)

const (
	linksetName = "linkset"
	linksetType = "application/linkset+json"

	// linksInHeader is how many authors or files a header names. If there are more, it names none: the link set has them.
	linksInHeader = 5
)

// link is a typed link.
type link struct{ Relation, Target, Type, Profile string }

// linkSigns are what readers of Link headers stumble over: many divide a header at every comma and semicolon.
var linkSigns = strings.NewReplacer(",", "%2C", ";", "%3B", " ", "%20", "<", "%3C", ">", "%3E", `"`, "%22", "\\", "%5C", "^", "%5E", "`", "%60", "{", "%7B", "|", "%7C", "}", "%7D")

func encodeInLink(address string) string { return linkSigns.Replace(address) }

// schemaAddress is a type of schema.org as an address.
func schemaAddress(r Record) string { return schemaContext + r.schemaType() }

// linksOf returns the links of an entry's page, in the order of Signposting's profile. all: also those that are too many for a header.
func linksOf(r Record, all bool) []link {
	links := []link{
		{Relation: "cite-as", Target: r.Permanent},
		{Relation: "type", Target: schemaContext + "AboutPage"},
		{Relation: "type", Target: schemaAddress(r)},
	}
	for _, one := range formsFor(r) {
		if one.Name != linksetName {
			links = append(links, link{"describedby", r.form(one.Name), one.Type, one.Profile})
		}
	}
	if (len(r.Files) <= linksInHeader && !r.MoreFiles) || all {
		for _, file := range r.Files {
			links = append(links, link{"item", file.URL, file.Type, ""})
		}
	}
	if r.License.URL != "" {
		links = append(links, link{Relation: "license", Target: r.License.URL})
	}
	var authors []link
	for _, person := range r.People {
		if person.ORCID != "" {
			authors = append(authors, link{Relation: "author", Target: orcidResolver + person.ORCID})
		}
	}
	if len(authors) <= linksInHeader || all {
		links = append(links, authors...)
	}
	return links
}

// linkHeader writes links for a Link header.
func linkHeader(links []link) string {
	texts := make([]string, len(links))
	for i, one := range links {
		text := fmt.Sprintf(`<%s>; rel="%s"`, encodeInLink(one.Target), one.Relation)
		if one.Type != "" {
			text += fmt.Sprintf(`; type="%s"`, one.Type)
		}
		if one.Profile != "" {
			text += fmt.Sprintf(`; profile="%s"`, one.Profile)
		}
		texts[i] = text
	}
	return strings.Join(texts, ", ")
}

// pageLinks is the Link header of an entry's page.
func pageLinks(r Record) string {
	return linkHeader(append(linksOf(r, false), link{"linkset", r.form(linksetName), linksetType, ""}))
}

// exportLinks is the Link header of a form of an entry.
func exportLinks(r Record) string {
	return linkHeader([]link{{"describes", r.Address, "text/html", ""}, {"linkset", r.form(linksetName), linksetType, ""}})
}

// versionLinks are the links between versions (RFC 5829). They alone name later versions.
func versionLinks(r Record) (links []link) {
	if r.Latest < 2 {
		return nil
	}
	number, concept := r.Number, r.Permanent
	if number == 0 {
		number = r.Latest
	} else {
		concept = strings.TrimSuffix(concept, "/v"+strconv.Itoa(number))
	}
	links = append(links, link{"version-history", strings.TrimSuffix(r.Exports, "export/") + "versions", "application/json", ""})
	if number > 1 {
		links = append(links, link{"predecessor-version", versionAddress(concept, number-1), "", ""})
	}
	if number < r.Latest {
		links = append(links, link{"successor-version", versionAddress(concept, number+1), "", ""}, link{"latest-version", concept, "", ""})
	}
	return links
}

// linkset returns all links of the entry's page, its files and its forms (RFC 9264).
func linkset(r Record) any {
	page := node{"anchor": r.Address}
	add := func(to node, one link) {
		target := node{"href": encodeInLink(one.Target)}
		if one.Type != "" {
			target["type"] = one.Type
		}
		if one.Profile != "" {
			target["profile"] = []string{one.Profile}
		}
		list, _ := to[one.Relation].([]node)
		to[one.Relation] = append(list, target)
	}
	for _, one := range linksOf(r, true) {
		add(page, one)
	}
	contexts := []node{page}
	for _, file := range r.Files {
		context := node{"anchor": encodeInLink(file.URL)}
		add(context, link{"collection", r.Address, "text/html", ""})
		contexts = append(contexts, context)
	}
	for _, one := range formsFor(r) {
		if one.Name == linksetName {
			continue
		}
		context := node{"anchor": r.form(one.Name)}
		add(context, link{"describes", r.Address, "text/html", ""})
		contexts = append(contexts, context)
	}
	if r.Type == catalog.Repository && r.Source != "" {
		add(page, link{Relation: "https://schema.org/codeRepository", Target: r.Source})
	}
	for _, one := range versionLinks(r) {
		add(page, one)
	}
	return node{"linkset": contexts}
}
