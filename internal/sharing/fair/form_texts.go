package fair

import (
	"fmt"
	"strings"

	"cairn/internal/content/cite"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/personname"

	"go.yaml.in/yaml/v3"
)

// codeMeta writes a program as CodeMeta 3.1.
func codeMeta(r Record, _ Site) (any, error) {
	one := node{
		"@context": "https://w3id.org/codemeta/3.1", "@id": r.Permanent, "@type": "SoftwareSourceCode", "name": r.Name, "url": r.Address,
		"identifier": r.identifier(), "author": peopleNodes(r.People), "publisher": organization(r.Publisher),
		"dateCreated": formatDate(r.Published), "datePublished": formatDate(r.Published), "dateModified": formatDate(r.Modified),
	}
	for key, text := range map[string]string{
		"description": r.Description, "version": r.Version, "codeRepository": r.Source, "license": r.License.URL, "inLanguage": r.Language,
	} {
		if text != "" {
			one[key] = text
		}
	}
	if r.License.URL == "" && r.License.Expression != "" {
		one["license"] = r.License.Expression
	}
	if len(r.Keywords) > 0 {
		one["keywords"] = r.Keywords
	}
	if len(r.Others) > 0 {
		one["contributor"] = peopleNodes(r.Others)
	}
	if len(r.Funding) > 0 {
		var awards []string
		for _, from := range r.Funding {
			if text := strings.TrimSpace(from.AwardNumber + " " + from.AwardTitle); text != "" {
				awards = append(awards, text)
			}
		}
		one["funder"] = funders(r)
		if len(awards) > 0 {
			one["funding"] = awards // as text, which is what this standard has for it
		}
	}
	if len(r.Files) > 0 {
		one["fileFormat"] = r.Files[0].Type
	}
	return one, nil
}

// bibtex writes the record for BibTeX and its successors.
func bibtex(r Record, _ Site) (any, error) {
	var text strings.Builder
	kind := "software"
	if !r.isSoftware() {
		kind = "dataset"
	}
	fmt.Fprintf(&text, "@%s{cairn-%s,\n", kind, r.ID)
	add := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&text, "  %s = {%s},\n", name, value)
		}
	}
	var authors, known []string
	for i, person := range r.People {
		name := cite.EscapeTeX(person.Name)
		if given, family := personname.Split(person.Name); family != "" {
			name = cite.EscapeTeX(family + ", " + given)
		} else {
			name = "{" + name + "}"
		}
		authors = append(authors, name)
		if person.ORCID != "" {
			known = append(known, fmt.Sprintf("%d=%q", i+1, person.ORCID))
		}
	}
	add("author", strings.Join(authors, " and "))
	add("author+an:orcid", strings.Join(known, "; ")) // as biblatex notes something about single names
	add("title", "{"+cite.EscapeTeX(r.Name)+"}")
	add("year", fmt.Sprint(r.year()))
	add("month", fmt.Sprint(int(r.Published.Month())))
	add("publisher", cite.EscapeTeX(r.Publisher.Name))
	add("version", cite.EscapeTeX(r.Version))
	add("doi", cite.EscapeTeX(r.DOI))
	add("url", r.Permanent)
	add("keywords", cite.EscapeTeX(strings.Join(r.Keywords, ", ")))
	text.WriteString("}\n")
	return text.String(), nil
}

// csl writes the record for citation styles, as citeproc reads it.
func csl(r Record, _ Site) (any, error) {
	one := node{
		"id": r.Permanent, "type": "software", "title": r.Name, "URL": r.Permanent, "publisher": r.Publisher.Name,
		"issued": node{"date-parts": [][]int{{r.year(), int(r.Published.Month()), r.Published.Day()}}},
	}
	switch r.Type {
	case catalog.Dataset:
		one["type"] = "dataset"
	case catalog.Notebook:
		one["genre"] = "Computational notebook"
	}
	names := []node{}
	for _, person := range r.People {
		if given, family := personname.Split(person.Name); family != "" {
			names = append(names, node{"family": family, "given": given})
		} else {
			names = append(names, node{"literal": person.Name})
		}
	}
	one["author"] = names
	for key, text := range map[string]string{
		"version": r.Version, "DOI": r.DOI, "abstract": r.Description, "keyword": strings.Join(r.Keywords, ", "), "license": r.License.URL, "language": r.Language,
	} {
		if text != "" {
			one[key] = text
		}
	}
	return []node{one}, nil
}

// The record in the Citation File Format 1.2.0.
type (
	citationFile struct {
		Version     string           `yaml:"cff-version"`
		Message     string           `yaml:"message"`
		Type        string           `yaml:"type"`
		Title       string           `yaml:"title"`
		Authors     []citationPerson `yaml:"authors"`
		Abstract    string           `yaml:"abstract,omitempty"`
		Keywords    []string         `yaml:"keywords,omitempty"`
		Release     string           `yaml:"version,omitempty"`
		Released    string           `yaml:"date-released"`
		DOI         string           `yaml:"doi,omitempty"`
		License     any              `yaml:"license,omitempty"`
		Code        string           `yaml:"repository-code,omitempty"`
		URL         string           `yaml:"url"`
		Identifiers []citationID     `yaml:"identifiers"`
	}
	citationPerson struct {
		Family      string `yaml:"family-names,omitempty"`
		Given       string `yaml:"given-names,omitempty"`
		Name        string `yaml:"name,omitempty"`
		ORCID       string `yaml:"orcid,omitempty"`
		Affiliation string `yaml:"affiliation,omitempty"`
	}
	citationID struct {
		Type        string `yaml:"type"`
		Value       string `yaml:"value"`
		Description string `yaml:"description"`
	}
)

// cff writes the record as a CITATION.cff.
func cff(r Record, _ Site) (any, error) {
	one := citationFile{
		Version: "1.2.0", Message: "If you use this, cite it as below.", Type: "software", Title: r.Name, Abstract: r.Description, Keywords: r.Keywords,
		Release: r.Version, Released: formatDate(r.Published), DOI: r.DOI, Code: r.Source, URL: r.Permanent,
		Identifiers: []citationID{{"url", r.Permanent, "The permanent address of the entry."}},
	}
	if !r.isSoftware() {
		one.Type = "dataset"
	}
	switch text := r.License.Expression; {
	case text == "":
	case strings.Contains(text, " OR ") && !strings.ContainsAny(text, "()"):
		one.License = strings.Split(text, " OR ")
	case r.License.URL != "":
		one.License = text
	}
	for _, person := range r.People {
		name := citationPerson{Name: person.Name, Affiliation: person.Affiliation.Name}
		if given, family := personname.Split(person.Name); family != "" {
			name.Name, name.Given, name.Family = "", given, family
		}
		if name.Name != "" {
			name.Affiliation = "" // which entities don't have
		}
		if person.ORCID != "" {
			name.ORCID = orcidResolver + person.ORCID
		}
		one.Authors = append(one.Authors, name)
	}
	if len(one.Authors) == 0 {
		one.Authors = []citationPerson{{Name: r.Publisher.Name}}
	}
	text, err := yaml.Marshal(one)
	return string(text), err
}
