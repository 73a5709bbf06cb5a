package page

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"cairn/internal/entries/catalog"
	"cairn/internal/site"
	"cairn/web"
)

const (
	dayFormat  = "Jan 2, 2006"
	firstCards = 9 // cards that a browser lays out before the page's script runs: as many as most windows show
	eagerCards = 3 // cards of a list whose covers are loaded at once: the first row of a wide window
)

// maxCardTags is the number of tags that a card shows at most.
var maxCardTags = web.CardTags()

var tagSigns = strings.NewReplacer(`\`, `\\`, `,`, `\,`)

// tagInAddress writes a tag for the list of tags in a catalog address; see tagInList.
func tagInAddress(tag string) string { return tagSigns.Replace(tag) }

// quoted returns the search for the entry with a name.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, " ") + `"` }

// withoutScheme writes an address as the page shows it.
func withoutScheme(address string) string {
	return strings.TrimPrefix(strings.TrimPrefix(address, "https://"), "http://")
}

// landingContent is what the template of the landing page shows.
type landingContent struct {
	site.Landing
	listContent

	Example string                  // the address that runs one of the entries; "" if none runs
	Types   map[catalog.Type]string // how many entries there are
}

// listContent is what the templates of lists show.
type listContent struct {
	Title      string
	Type       catalog.Type // of a list of one type; "" for others
	SearchText string
	Total      int
	Instead    *instead // nil if everything matches as typed
	Entries    []card
	Rest       []card // more of them, for browsers without script
	Next       string // the address of the next page; "" on the last one
}

// instead says what was searched because nothing matched as typed, or hardly anything.
type instead struct {
	Text      string
	Corrected string   // the text without typing errors; "" if words were left out instead
	Words     []string // that the best of the results without all words lack
	Nowhere   []string // words that no entry has
	Whole     int      // how many results have all words
}

// card is an entry in a list.
type card struct {
	Type                             catalog.Type
	Name, Path, Version, Description string
	CoverURL, HeaderImageURL         string
	DataMissing                      bool
	Ran                              string // what its last run came to; "" before the first
	Tags                             []string
	MoreTags                         int // tags that aren't among them
	Author, Initials                 string
	MoreAuthors                      int
	IsDrawn, Runnable                bool   // its cover shows nothing of it; a session can be started from it
	CreatedAt, CreatedOn             string // for programs, and for people
	Eager                            bool   // its cover is loaded at once, also while the script is on its way
	Rest                             bool   // it is shown only without scripts
}

// Templates that aren't those of one page.
const (
	waitingTemplate = "waiting" // for pages whose content comes with their script
	typeTemplate    = "type"    // for the lists of one type
)

// found is what a document shows, as far as it is known when its content is written.
type found struct {
	page    row
	first   firstAnswer
	entry   *catalog.Resource // that of the page; nil if it shows no public one
	site    *site.Site
	preload preload // of the entry
}

// writeContent writes what a document shows in the place of its page, as far as the answer to the page's first request has
// it. A page without a template gets a shape.
func (s *Server) writeContent(document *bytes.Buffer, r *http.Request, found found) {
	page := found.page
	content := s.templates.Lookup(page.Path)
	if page.listsType() {
		content = s.templates.Lookup(typeTemplate)
	}
	var data any
	switch {
	case content == nil, page.showsEntry() && found.entry == nil, page.showsPerson() && (found.first.status != http.StatusOK || found.first.person() == nil):
		content = s.templates.Lookup(waitingTemplate)
	case page.showsEntry():
		data = found.preload.contentOf(r.Context(), *found.entry, found.site)
	case page.First == "":
		data = found.site // the page's whole content is in the site file
	case page.Path == "/events":
		data = s.eventsContentOf(r.Context(), found)
	default:
		data = s.listContentOf(r, page, found.first, found.site.Landing)
	}
	before := document.Len()
	if err := content.Execute(document, data); err != nil {
		s.options.Logger.ErrorContext(r.Context(), "the document's content cannot be written", "error", err)
		document.Truncate(before)
	}
}

// listContentOf returns what a list shows, or the landing page.
func (s *Server) listContentOf(r *http.Request, page row, first firstAnswer, landing site.Landing) any {
	var answer catalog.ResourcePage
	if first.status == http.StatusOK {
		if err := json.Unmarshal(first.body, &answer); err != nil {
			s.options.Logger.WarnContext(r.Context(), "the document's list cannot be read", "error", err)
		}
	}
	list := listContent{Title: page.Title, Type: page.Type, SearchText: r.URL.Query().Get("searchText"), Total: answer.TotalElements}
	if answer.Hint != nil && len(answer.Content) > 0 {
		list.Instead = &instead{
			Text: strings.TrimSpace(list.SearchText), Corrected: answer.Corrected, Words: answer.Hint.Words, Nowhere: answer.Hint.Nowhere, Whole: answer.Hint.Whole,
		}
	}
	for i, one := range answer.Content {
		card := cardOf(one)
		if card.Eager, card.Rest = i < eagerCards && page.Path != "/", i >= firstCards; card.Rest {
			list.Rest = append(list.Rest, card)
		} else {
			list.Entries = append(list.Entries, card)
		}
	}
	if answer.Number+1 < answer.TotalPages {
		query := r.URL.Query()
		query.Set("page", strconv.Itoa(answer.Number+2))
		list.Next = (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()
	}
	if page.showsPerson() {
		person := first.person().Person
		return personContent{Credited: person, listContent: list, Profile: profileOf(person.ORCID)}
	}
	if page.Path != "/" {
		return list
	}
	content := landingContent{Landing: landing, listContent: list, Types: counts(answer)}
	if answer.Example != "" {
		content.Example = "/run/" + answer.Example
	}
	return content
}

func cardOf(r catalog.Resource) card {
	one := card{
		Type: r.Type, Name: r.Name, Path: entryPath(*r.Entry()), Version: r.Version, Description: r.Description,
		CoverURL: r.CoverURL, HeaderImageURL: r.HeaderImageURL, DataMissing: r.DataMissing,
		CreatedAt: r.CreatedAt.Format(time.RFC3339), CreatedOn: r.CreatedAt.Format(dayFormat),
	}
	one.IsDrawn, one.Runnable = r.CoverKind == catalog.CoverDrawing, r.Runnable != nil && *r.Runnable
	if r.LastRun != nil {
		one.Ran = r.LastRun.Words(time.Now())
	}
	for _, tag := range r.Tags[:min(len(r.Tags), maxCardTags)] {
		one.Tags = append(one.Tags, tag.Value)
	}
	one.MoreTags = len(r.Tags) - len(one.Tags)
	if len(r.AuthorNames) > 0 {
		one.Author, one.Initials, one.MoreAuthors = r.AuthorNames[0], initials(r.AuthorNames[0]), len(r.AuthorNames)-1
	}
	return one
}

// initials returns one or two letters for a name or an address, by the rules of web/src/lib/people.ts.
func initials(address string) string {
	local, _, _ := strings.Cut(address, "@")
	words := strings.FieldsFunc(local, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("._+-", r) })
	if len(words) == 0 {
		return "?"
	}
	letters := words[:1]
	if len(words) > 1 {
		letters = []string{words[0], words[len(words)-1]}
	}
	var text strings.Builder
	for _, word := range letters {
		first, _ := utf8.DecodeRuneInString(word)
		text.WriteRune(unicode.ToUpper(first))
	}
	return text.String()
}

func counts(answer catalog.ResourcePage) map[catalog.Type]string {
	printer := message.NewPrinter(language.English)
	texts := map[catalog.Type]string{}
	if answer.Facets != nil {
		for kind, count := range answer.Facets.Types {
			texts[kind] = printer.Sprintf("%d", count)
		}
	}
	return texts
}
