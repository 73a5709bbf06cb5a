package preview

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"cairn/internal/content/cite"
	"cairn/internal/entries/catalog"

	"go.yaml.in/yaml/v3"
)

const (
	citationBytes   = 100_000
	citationLength  = 1_000 // characters of a text
	citationAuthors = 500
)

// citationText accepts any scalar: real files have numbers and dates where a text is expected.
type citationText string

// UnmarshalYAML implements yaml.Unmarshaler.
func (t *citationText) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && node.Tag != "!!null" {
		*t = citationText(line(node.Value))
	}
	return nil
}

// line reduces a text to one line of bounded length without control characters.
func line(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if !catalog.ValidText(text, false) {
		return ""
	}
	if utf8.RuneCountInString(text) > citationLength {
		text = string([]rune(text)[:citationLength])
	}
	return text
}

// citationFields are the fields of the Citation File Format 1.2 from which a citation is built.
type citationFields struct {
	Type           citationText     `yaml:"type"`
	Title          citationText     `yaml:"title"`
	Authors        []citationAuthor `yaml:"authors"`
	Version        citationText     `yaml:"version"`
	DOI            citationText     `yaml:"doi"`
	URL            citationText     `yaml:"url"`
	RepositoryCode citationText     `yaml:"repository-code"`
	Repository     citationText     `yaml:"repository"`
	License        citationText     `yaml:"license"`
	DateReleased   citationText     `yaml:"date-released"`
	DatePublished  citationText     `yaml:"date-published"`
	Year           citationText     `yaml:"year"`
	Month          citationText     `yaml:"month"`
	Journal        citationText     `yaml:"journal"`
	Collection     citationText     `yaml:"collection-title"`
	Publisher      citationAuthor   `yaml:"publisher"`
	Volume         citationText     `yaml:"volume"`
	Issue          citationText     `yaml:"issue"`
	Start          citationText     `yaml:"start"`
	End            citationText     `yaml:"end"`
	Identifiers    []struct {
		Type  citationText `yaml:"type"`
		Value citationText `yaml:"value"`
	} `yaml:"identifiers"`
	Preferred *citationFields `yaml:"preferred-citation"`
}

// citationAuthor is a person or an entity.
type citationAuthor struct {
	Family   citationText `yaml:"family-names"`
	Given    citationText `yaml:"given-names"`
	Particle citationText `yaml:"name-particle"`
	Suffix   citationText `yaml:"name-suffix"`
	Name     citationText `yaml:"name"`
	Alias    citationText `yaml:"alias"`
}

// citationTypes are the types of the format that have other names in CSL.
var citationTypes = map[string]string{
	"": "software", "software": "software", "software-code": "software", "software-container": "software", "software-executable": "software",
	"software-virtual-machine": "software", "data": "dataset", "database": "dataset", "dataset": "dataset", "article": "article-journal",
	"magazine-article": "article-magazine", "newspaper-article": "article-newspaper", "conference-paper": "paper-conference",
	"proceedings": "book", "book": "book", "thesis": "thesis", "report": "report", "manual": "report", "website": "webpage", "patent": "patent",
	"standard": "standard", "unpublished": "manuscript",
}

// parseCitation returns the citation in a CITATION.cff; nil when it isn't YAML or has no title or no author. As usual,
// the work that the file prefers to be cited (often an article) comes before the software itself.
func parseCitation(content []byte) *cite.CitationItem {
	var fields citationFields
	// Fields of an unexpected shape are left out; the others are read.
	if err := yaml.Unmarshal(content, &fields); err != nil && fields.Title == "" {
		return nil
	}
	if fields.Preferred != nil {
		if item := fields.Preferred.item(); item != nil {
			return item
		}
	}
	return fields.item()
}

var doiPattern = regexp.MustCompile(`10\.[0-9]{4,9}/[^\s"<>]+$`)

func (f citationFields) item() *cite.CitationItem {
	item := cite.CitationItem{
		Type: cmp.Or(citationTypes[string(f.Type)], "document"), Title: string(f.Title), Author: []cite.CitationName{}, Version: string(f.Version),
		DOI: doiPattern.FindString(string(f.DOI)), ContainerTitle: string(cmp.Or(f.Journal, f.Collection)), Publisher: string(f.Publisher.Name),
		Volume: string(f.Volume), Issue: string(f.Issue), Page: string(f.Start), License: string(f.License), Issued: f.issued(),
	}
	for _, author := range f.Authors[:min(len(f.Authors), citationAuthors)] {
		name := cite.CitationName{Family: string(author.Family), Given: string(author.Given), Particle: string(author.Particle), Suffix: string(author.Suffix)}
		if name.Family == "" {
			name = cite.CitationName{Literal: string(cmp.Or(author.Name, author.Given, author.Alias))}
		}
		if name != (cite.CitationName{}) {
			item.Author = append(item.Author, name)
		}
	}
	for _, one := range f.Identifiers {
		if item.DOI == "" && one.Type == "doi" {
			item.DOI = doiPattern.FindString(string(one.Value))
		}
	}
	for _, address := range []citationText{f.URL, f.RepositoryCode, f.Repository} {
		if parsed, ok := catalog.ParseAddress(string(address)); item.URL == "" && ok && (parsed.Scheme == "https" || parsed.Scheme == "http") {
			item.URL = string(address)
		}
	}
	if item.Page != "" && f.End != "" && f.End != f.Start {
		item.Page += "-" + string(f.End)
	}
	if item.Title == "" || len(item.Author) == 0 {
		return nil
	}
	item.ID = cmp.Or(item.DOI, item.URL, item.Title)
	return &item
}

// issued returns a date, or a year and a month.
func (f citationFields) issued() *cite.CitationDate {
	parts := strings.Split(string(cmp.Or(f.DateReleased, f.DatePublished)), "-")
	if parts[0] == "" {
		parts = slices.DeleteFunc([]string{string(f.Year), string(f.Month)}, func(part string) bool { return part == "" })
	}
	var numbers []int
	for i, part := range parts {
		number, err := strconv.Atoi(part)
		if limit := []int{9999, 12, 31}; err != nil || i >= len(limit) || number < 1 || number > limit[i] {
			break
		}
		numbers = append(numbers, number)
	}
	if len(numbers) == 0 {
		return nil
	}
	return &cite.CitationDate{DateParts: [][]int{numbers}}
}
