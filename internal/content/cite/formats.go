package cite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cairn/internal/entries/catalog/index"
)

func (i CitationItem) csl() string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode([]CitationItem{i}); err != nil {
		panic(err) // of texts and numbers
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// shown returns a family name with the particle before it: "van der Berg".
func (n CitationName) shown() string { return joined(" ", n.Particle, n.Family) }

// whole returns the name of those who have no family name.
func (n CitationName) whole() string {
	if n.Literal == "" {
		return n.Given
	}
	return n.Literal
}

// joined joins the texts that aren't empty.
func joined(separator string, texts ...string) string {
	var written []string
	for _, text := range texts {
		if text != "" {
			written = append(written, text)
		}
	}
	return strings.Join(written, separator)
}

// APA, 7th edition.

func (i CitationItem) apa() string {
	year := "n.d."
	if number, known := i.year(); known {
		year = strconv.Itoa(number)
	}
	kind := i.Genre
	if kind == "" {
		kind = map[string]string{"dataset": "Data set", "software": "Computer software"}[i.Type]
	}
	title := i.Title
	if i.Version != "" {
		title += " (Version " + i.Version + ")"
	}
	if kind != "" {
		title += " [" + kind + "]"
	}
	if !strings.HasSuffix(title, ".") && !strings.HasSuffix(title, "?") && !strings.HasSuffix(title, "!") {
		title += "."
	}
	begin := title + " (" + year + ")."
	if authors := apaAuthors(i.Author); authors != "" {
		begin = authors + " (" + year + "). " + title
	}
	within := i.apaContainer()
	if within == "" {
		within = i.Publisher
	}
	if within != "" {
		within += "."
	}
	link := i.URL
	if i.DOI != "" {
		link = "https://doi.org/" + i.DOI
	}
	return joined(" ", begin, within, link)
}

// apaContainer returns the position in a journal or book: "Nature, 3(2), 10–20".
func (i CitationItem) apaContainer() string {
	if i.ContainerTitle == "" {
		return ""
	}
	number := i.Volume
	if i.Issue != "" {
		number += "(" + i.Issue + ")"
	}
	return joined(", ", i.ContainerTitle, number, strings.Replace(i.Page, "-", "–", 1))
}

// apaLimit is how many names APA lists; of more, it lists the first nineteen and the last.
const apaLimit = 20

func apaAuthors(authors []CitationName) string {
	names := make([]string, len(authors))
	for i, one := range authors {
		names[i] = one.apa()
	}
	switch count := len(names); {
	case count == 0:
		return ""
	case count == 1:
		return names[0]
	case count <= apaLimit:
		return strings.Join(names[:count-1], ", ") + ", & " + names[count-1]
	default:
		return strings.Join(names[:apaLimit-1], ", ") + ", . . . " + names[count-1]
	}
}

func (n CitationName) apa() string {
	if n.Family == "" {
		return n.whole()
	}
	words := strings.Fields(n.Given)
	for i, word := range words {
		var initials []string
		for part := range strings.SplitSeq(word, "-") {
			if first, size := utf8.DecodeRuneInString(part); size > 0 {
				initials = append(initials, string(unicode.ToUpper(first))+".")
			}
		}
		words[i] = strings.Join(initials, "-")
	}
	return joined(", ", n.shown(), joined(" ", words...), n.Suffix)
}

// BibTeX, with the entry types of biblatex and data archives; older styles treat them as @misc.

var bibTeXKinds = map[string]string{
	"dataset": "dataset", "software": "software", "article-journal": "article", "paper-conference": "inproceedings", "book": "book", "thesis": "thesis",
	"report": "report",
}

func (i CitationItem) bibTeX() string {
	kind, known := bibTeXKinds[i.Type]
	if !known {
		kind = "misc"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "@%s{%s", kind, i.bibTeXKey())
	add := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&text, ",\n  %s = {%s}", name, value)
		}
	}
	var authors, identified []string
	for number, one := range i.Author {
		authors = append(authors, one.bibTeX())
		if one.ORCID != "" {
			identified = append(identified, fmt.Sprintf("%d=%q", number+1, one.ORCID))
		}
	}
	add("author", strings.Join(authors, " and "))
	add("author+an:orcid", strings.Join(identified, "; ")) // as biblatex notes something about single names
	add("title", "{"+EscapeTeX(i.Title)+"}")
	if i.Issued != nil && len(i.Issued.DateParts) > 0 {
		for part, number := range i.Issued.DateParts[0][:min(2, len(i.Issued.DateParts[0]))] {
			add([]string{"year", "month"}[part], strconv.Itoa(number))
		}
	}
	container := "booktitle"
	if i.Type == "article-journal" {
		container = "journal"
	}
	add(container, EscapeTeX(i.ContainerTitle))
	add("volume", EscapeTeX(i.Volume))
	add("number", EscapeTeX(i.Issue))
	add("pages", strings.Replace(EscapeTeX(i.Page), "-", "--", 1))
	add("version", EscapeTeX(i.Version))
	add("type", EscapeTeX(i.Genre))
	add("publisher", EscapeTeX(i.Publisher))
	add("doi", bibTeXAddress(i.DOI))
	add("url", bibTeXAddress(i.URL))
	text.WriteString("\n}")
	return text.String()
}

// splits matches what would divide a name in BibTeX.
var splits = regexp.MustCompile(`(?i),|\band\b`)

// bibTeX writes a name. In braces, one stays whole, even with commas or "and" in it.
func (n CitationName) bibTeX() string {
	family := n.shown()
	if n.Family == "" {
		return "{" + EscapeTeX(n.whole()) + "}"
	}
	if n.Suffix == "" && n.Given == "" {
		return "{" + EscapeTeX(family) + "}"
	}
	part := func(text string) string {
		if splits.MatchString(text) {
			return "{" + EscapeTeX(text) + "}"
		}
		return EscapeTeX(text)
	}
	return joined(", ", part(family), part(n.Suffix), part(n.Given))
}

// texSigns are the signs that mean something to TeX. BibTeX counts braces even after a backslash, so an unbalanced one would
// swallow what follows.
var texSigns = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\textbraceleft{}`, `}`, `\textbraceright{}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`, `$`, `\$`, `&`, `\&`, `%`, `\%`, `#`, `\#`, `_`, `\_`,
)

var spaces = regexp.MustCompile(`\s+`)

// EscapeTeX writes a text in one line so that TeX shows it as it is. Letters of other scripts stay: BibTeX's successors read
// UTF-8.
func EscapeTeX(text string) string { return texSigns.Replace(spaces.ReplaceAllString(text, " ")) }

var endsField = regexp.MustCompile(`[\\{}\s]`)

// bibTeXAddress percent-encodes the characters of an address that would end its field. Addresses aren't escaped for TeX.
func bibTeXAddress(address string) string {
	return endsField.ReplaceAllStringFunc(address, url.PathEscape)
}

// bibTeXKey returns a key such as doe2026spikes, in ASCII letters that every program accepts.
func (i CitationItem) bibTeXKey() string {
	plain := func(text string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, index.Fold(text))
	}
	author := ""
	if len(i.Author) > 0 {
		first := i.Author[0]
		author, _, _ = strings.Cut(first.Literal, "@")
		if words := strings.Fields(first.Family); len(words) > 0 {
			author = words[len(words)-1]
		}
		author = plain(author)
	}
	if author == "" {
		author = "entry"
	}
	word := plain(i.Title)
	for _, one := range strings.Fields(i.Title) {
		if one = plain(one); len(one) > 3 {
			word = one
			break
		}
	}
	year := ""
	if number, known := i.year(); known {
		year = strconv.Itoa(number)
	}
	return author + year + word[:min(24, len(word))]
}
