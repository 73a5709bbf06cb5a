package page

import (
	"bytes"
	"encoding/json"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"cairn/internal/catalog"
	"cairn/internal/fault"
	"cairn/internal/site"
)

const (
	// contentFile has the templates of what documents show before the page's script runs, and without it, by the paths of
	// pages. web/build/content.ts draws them with the page's own components.
	contentFile = "server/content.html"

	dayFormat  = "Jan 2, 2006"
	cardTags   = 4 // tags of a card at most, as the page shows them
	firstCards = 9 // cards that a browser lays out before the page's script runs: as many as most windows show
	eagerCards = 3 // cards of a list whose covers are loaded at once: the first row of a wide window
)

// readContent returns the templates; none for a page built without them.
func readContent(files fs.FS) (*template.Template, error) {
	templates := template.New("").Funcs(template.FuncMap{
		"tagInList": tagInAddress, "join": strings.Join, "withoutScheme": withoutScheme, "quoted": quoted,
		"calendarOf": func(slug string) string { return "/events/" + slug + ".ics" },
	})
	text, err := fs.ReadFile(files, contentFile)
	if err == nil {
		_, err = templates.Parse(string(text))
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The page's templates cannot be read; rebuild the page with: make build")
	}
	return templates, nil
}

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

	Example string            // the address that runs one of the entries; "" if none runs
	Types   map[string]string // how many entries there are, by type
}

// listContent is what the templates of lists show.
type listContent struct {
	SearchText string
	Total      int
	Runs       bool     // whether any entry was run
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
	Whole     int      // how many results have all words
}

// card is an entry in a list.
type card struct {
	Type, Name, Path, Version, Description string
	CoverURL, HeaderImageURL               string
	DataMissing                            bool
	Ran                                    string // what its last run came to; "" before the first
	Tags                                   []string
	MoreTags                               int // tags that aren't among them
	Author, Initials                       string
	CreatedAt, CreatedOn                   string // for programs, and for people
	Eager                                  bool   // its cover is loaded at once
}

// waiting is the template of pages whose content comes with their script.
const waiting = "waiting"

// writeContent writes what a document shows in the place of its page, as far as the answer to the page's first request has
// it; a shape for a page without a template. The entry is that of the page, nil if it shows no public one.
func (s *Server) writeContent(document *bytes.Buffer, r *http.Request, page row, first firstAnswer, entry *catalog.Resource, from *site.Site, ahead ahead) {
	found := s.templates.Lookup(page.Path)
	var data any
	switch {
	case found == nil, page.showsEntry() && entry == nil, page.showsPerson() && (first.status != http.StatusOK || first.person() == nil):
		found = s.templates.Lookup(waiting)
	case page.showsEntry():
		data = ahead.contentOf(r.Context(), *entry, from)
	case page.First == "":
		data = from // the page's whole content is in the site file
	default:
		data = s.listContentOf(r, page, first, from.Landing)
	}
	before := document.Len()
	if err := found.Execute(document, data); err != nil {
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
	list := listContent{SearchText: r.URL.Query().Get("searchText"), Total: answer.TotalElements}
	if answer.Facets != nil {
		runs := answer.Facets.Runs
		list.Runs = runs.Clean+runs.Differs+runs.Fails > 0
	}
	if answer.Hint != nil && len(answer.Content) > 0 {
		list.Instead = &instead{
			Text: strings.TrimSpace(list.SearchText), Corrected: answer.Corrected, Words: answer.Hint.Words, Whole: answer.Hint.Whole,
		}
	}
	for i, one := range answer.Content {
		list.Entries = append(list.Entries, cardOf(one, i < eagerCards && page.Path != "/"))
	}
	shown := min(len(list.Entries), firstCards)
	list.Entries, list.Rest = list.Entries[:shown], list.Entries[shown:]
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
	return landingContent{Landing: landing, listContent: list, Example: example(answer.Content), Types: counts(answer)}
}

func cardOf(r catalog.Resource, eager bool) card {
	one := card{
		Type: string(r.Type), Name: r.Name, Path: entryPath(r), Version: r.Version, Description: r.Description,
		CoverURL: r.CoverURL, HeaderImageURL: r.HeaderImageURL, DataMissing: r.DataMissing,
		CreatedAt: r.CreatedAt.Format(time.RFC3339), CreatedOn: r.CreatedAt.Format(dayFormat), Eager: eager,
	}
	if r.LastRun != nil {
		one.Ran = r.LastRun.Words(time.Now())
	}
	for _, tag := range r.Tags[:min(len(r.Tags), cardTags)] {
		one.Tags = append(one.Tags, tag.Value)
	}
	one.MoreTags = len(r.Tags) - len(one.Tags)
	if len(r.Authors) > 0 {
		one.Author, one.Initials = r.Authors[0], initials(r.Authors[0])
	}
	return one
}

// initials are those of web/src/lib/people.ts.
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

// example returns the address that runs one of the entries, preferably a notebook, as the page chooses it.
func example(entries []catalog.Resource) string {
	chosen := ""
	for _, one := range entries {
		if one.Runnable == nil || !*one.Runnable {
			continue
		}
		if one.Type == catalog.Notebook {
			return "/run/" + one.ID
		}
		if chosen == "" {
			chosen = "/run/" + one.ID
		}
	}
	return chosen
}

func counts(answer catalog.ResourcePage) map[string]string {
	printer := message.NewPrinter(language.English)
	texts := map[string]string{}
	if answer.Facets != nil {
		for kind, count := range answer.Facets.Types {
			texts[string(kind)] = printer.Sprintf("%d", count)
		}
	}
	return texts
}
