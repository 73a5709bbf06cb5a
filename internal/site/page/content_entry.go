package page

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/site"
)

const (
	maxFiles     = 100                    // files in a document at most, and projects
	filesTimeout = 200 * time.Millisecond // how long a document waits for them
)

// entryContent is what the template of an entry's page shows.
type entryContent struct {
	catalog.Resource

	Host       string // of a repository elsewhere
	Ran        string // what its last run came to; "" before the first
	NewProject string // the address of the form for a project with it; "" if projects can't hold it
	Download   string // the address of its file, or of all its files as one; "" if there is none for everybody
	TagNames   []string
	Paragraphs []string
	Facts      entryFacts
	Files      *fileList
	Notebook   *notebookContent
	Platform   platform // of a model
	Projects   []projectLink
	Related    relatedContent
}

// projectLink is a published project that holds the entry.
type projectLink struct{ ID, Name string }

// relatedContent is what /related says to everybody.
type relatedContent struct {
	Entries []relatedEntry
	Events  []relatedEvent
}

type relatedEntry struct {
	ID, Name string
	Type     catalog.Type
	Why      struct {
		Reason  string
		Project struct{ ID, Name string }
		Event   relatedEvent
		Tags    []string
	}
}

type relatedEvent struct{ Slug, Title string }

// Path is the address of the entry's page.
func (r relatedEntry) Path() string { return "/resources/" + r.Type.Plural() + "/" + r.ID }

// platform runs models: its name, and the address that runs this one, "" if none is configured.
type platform struct{ Name, URL string }

type entryFacts struct {
	Authors        []person
	Contributors   []person
	Maintainers    []link
	License, DOI   link
	Funding        []award
	Related        []relation
	Added, Updated moment // Updated is empty for an entry that wasn't changed
	Source         link
	// What the code host says about a repository, as far as that is known.
	Language, Size string
	Pushed         moment
}

// person is somebody whom the entry credits by name; Href is "" without an ORCID iD.
type person struct {
	link

	Profile string       // the address of their ORCID record; "" without one
	Role    catalog.Role // "" for authors
	At      link
}

// award is what paid for the entry; its own link may be empty.
type award struct{ Funder, Award link }

// relation is what the entry has to do with something elsewhere, as DataCite says it.
type relation struct {
	link

	Relation string
}

// moment is a time for programs, and its day for people.
type moment struct{ At, On string }

func momentOf(at time.Time) moment { return moment{at.Format(time.RFC3339), at.Format(dayFormat)} }

type link struct{ Text, Href, Initials string }

// notebookContent is the notebook of an entry: the page that shows it in a frame, and the name of its file.
type notebookContent struct {
	Frame, Name string
}

// fileList is the first folder of a dataset or repository.
type fileList struct {
	Rows      []fileRow
	More      int    // files that aren't among them
	Elsewhere string // the host that has the data, if this server doesn't
	Note      string // why there are none
}

type fileRow struct {
	IsFolder         bool
	Name, Size, Href string // Href is "" for what can't be opened
}

// preload holds answers that a document asks for before it needs them.
type preload struct {
	*Server

	related, projects func(into any) bool
}

func (s *Server) preloadEntry(ctx context.Context, r catalog.Resource) preload {
	base := httpapi.Base + "/resources/public/" + r.ID
	return preload{s, s.askInBackground(ctx, base+"/related"), s.askInBackground(ctx, base+"/projects")}
}

// contentOf returns what the document of a public entry shows in the place of its page.
func (s preload) contentOf(ctx context.Context, r catalog.Resource, from *site.Site) entryContent {
	content := entryContent{Resource: r, Paragraphs: paragraphs(r.Description), NewProject: newProjectPath(r)}
	if r.LastRun != nil {
		content.Ran = r.LastRun.Words(time.Now())
	}
	for _, tag := range r.Tags {
		content.TagNames = append(content.TagNames, tag.Value)
	}
	facts := &content.Facts
	facts.cite(r)
	facts.Added = momentOf(r.CreatedAt)
	if !r.UpdatedAt.Equal(r.CreatedAt) {
		facts.Updated = momentOf(r.UpdatedAt)
	}
	source := r.RepositoryURL + cmp.Or(catalog.DataAddress(r.DatasetURL), r.DatasetURL) + r.NotebookSource // an entry has one of them at most
	if address := webAddress(source); address != nil && !strings.HasPrefix(source, s.options.PublicURL+"/") {
		facts.Source = link{Text: strings.TrimSuffix(address.Host+address.EscapedPath(), "/"), Href: source}
		if r.Type == catalog.Repository {
			content.Host = address.Host
		}
		if content.Host == "github.com" {
			content.Download = strings.TrimSuffix(strings.TrimRight(source, "/"), ".git") + "/archive/HEAD.zip"
		}
	}
	base := httpapi.Base + "/resources/public/" + r.ID
	switch r.Type {
	case catalog.Repository:
		content.Files = s.repositoryFiles(ctx, base+"/files", facts)
	case catalog.Dataset:
		content.Files, content.Download = s.datasetFiles(ctx, base+"/dataset", webAddress(source))
	case catalog.Notebook:
		name, _ := url.PathUnescape(path.Base(source))
		content.Notebook = &notebookContent{Frame: r.NotebookFrameURL, Name: strings.TrimPrefix(name, "bundled:")}
		content.Download = base + "/notebook/file"
	case catalog.Model:
		content.Platform = s.platformOf(ctx, r, from)
	}
	if !s.related(&content.Related) {
		content.Related = relatedContent{}
	}
	if !s.projects(&content.Projects) {
		content.Projects = nil
	}
	content.Projects = content.Projects[:min(len(content.Projects), maxFiles)]
	return content
}

// newProjectPath returns the address of the form for a project with an entry, or with the repository that has the notebook;
// "" if projects can't hold it.
func newProjectPath(r catalog.Resource) string {
	const form = "/add/project?"
	switch {
	case r.RepositoryID != "":
		return form + url.Values{"repositoryId": {r.RepositoryID}}.Encode()
	case r.Type == catalog.Repository:
		return form + url.Values{"repositoryId": {r.ID}}.Encode()
	case r.Type == catalog.Dataset:
		return form + url.Values{"datasetIds": {r.ID}}.Encode()
	}
	return ""
}

// cite adds what is needed to cite an entry.
func (f *entryFacts) cite(r catalog.Resource) {
	for _, one := range r.People {
		if one.Name == "" {
			continue
		}
		named := person{link: link{Text: one.Name}, Role: one.Role, Profile: profileOf(one.ORCID)}
		if one.ID != "" {
			named.Href = personPath(one.ID)
		}
		if at := one.Affiliation; at != nil {
			named.At = link{Text: at.Name, Href: at.ROR}
		}
		if one.Role == "" {
			f.Authors = append(f.Authors, named)
		} else {
			f.Contributors = append(f.Contributors, named)
		}
	}
	for _, address := range r.Maintainers {
		search := url.Values{"searchText": {`author:"` + strings.TrimSuffix(address, "@…") + `"`}}
		f.Maintainers = append(f.Maintainers, link{Text: address, Href: "/resources?" + search.Encode()})
	}
	f.License.Text = r.License
	if r.License != "" && !strings.ContainsAny(r.License, " ()") { // an expression of several has no page in the list
		f.License.Href = "https://spdx.org/licenses/" + r.License
	}
	if r.DOI != "" {
		f.DOI = link{Text: r.DOI, Href: "https://doi.org/" + r.DOI}
	}
	for _, from := range r.Funding {
		one := award{Funder: link{Text: from.Funder, Href: from.FunderID}, Award: link{Text: from.AwardTitle, Href: from.AwardURL}}
		if number := from.AwardNumber; number != "" {
			one.Award.Text = strings.TrimPrefix(one.Award.Text+", award "+number, ", ")
		}
		f.Funding = append(f.Funding, one)
	}
	for _, one := range r.RelatedIdentifiers {
		f.Related = append(f.Related, relation{link{Text: one.Identifier, Href: one.Address()}, one.Relation})
	}
}

// platformOf returns what the configuration of the page says about the platform.
func (s *Server) platformOf(ctx context.Context, r catalog.Resource, from *site.Site) platform {
	text, err := json.Marshal(s.options.Config(ctx, from))
	var config struct{ Workflow platform }
	if err != nil || json.Unmarshal(text, &config) != nil {
		return platform{}
	}
	found := config.Workflow
	found.URL = strings.ReplaceAll(found.URL, "{applicationInterfaceId}", url.PathEscape(r.ApplicationInterfaceID))
	return found
}

// webAddress returns an address of the web; nil for all others.
func webAddress(text string) *url.URL {
	address, err := url.Parse(text)
	if err != nil || (address.Scheme != "https" && address.Scheme != "http") || address.Host == "" {
		return nil
	}
	return address
}

var blankLines = regexp.MustCompile(`\r?\n(?:[ \t]*\r?\n)+`)

// paragraphs returns Markdown as paragraphs of plain text.
func paragraphs(markdown string) []string {
	var found []string
	for _, text := range blankLines.Split(markdown, -1) {
		if strings.ContainsAny(text, markdownSigns) {
			text = (catalog.Entry{Description: text}).Summary(catalog.DescriptionLimit)
		}
		if text = strings.TrimSpace(text); text != "" {
			found = append(found, text)
		}
	}
	return found
}

// datasetFiles lists a dataset on this server, and returns the address of all its files, "" if it isn't for everybody.
// elsewhere is the dataset's address if it isn't on this server.
func (s *Server) datasetFiles(ctx context.Context, call string, elsewhere *url.URL) (list *fileList, zipURL string) {
	if elsewhere != nil {
		return &fileList{Elsewhere: elsewhere.Host}, ""
	}
	var folder struct {
		Available bool
		Note      string
		Total     int
		Entries   []struct {
			Type, Path, Name string
			Size             int64
		}
		Download struct{ FileURL, ZipURL string }
	}
	if !s.askInTime(ctx, call, &folder) {
		return nil, ""
	}
	list = &fileList{More: max(folder.Total-maxFiles, 0)}
	if !folder.Available {
		list.Note = folder.Note
	}
	for _, one := range folder.Entries[:min(len(folder.Entries), maxFiles)] {
		row := fileRow{IsFolder: one.Type == "dir", Name: shownName(one.Name)}
		if one.Type == "file" {
			row.Size = humanize.Bytes(one.Size)
			if folder.Download.FileURL != "" {
				row.Href = folder.Download.FileURL + url.QueryEscape(one.Path)
			}
		}
		list.Rows = append(list.Rows, row)
	}
	return list, folder.Download.ZipURL
}

// repositoryFiles lists a repository and adds its facts, if this server knows them without asking the code host.
func (s *Server) repositoryFiles(ctx context.Context, call string, facts *entryFacts) *fileList {
	var folder struct {
		FilesURL string
		Entries  []struct {
			Type, Path, Name string
			Size             int64
		}
		Language  string
		SizeBytes int64
		PushedAt  time.Time
	}
	if !s.askInTime(ctx, call, &folder) {
		return nil
	}
	facts.Language = folder.Language
	if folder.SizeBytes > 0 {
		facts.Size = humanize.Bytes(folder.SizeBytes)
	}
	if !folder.PushedAt.IsZero() {
		facts.Pushed = momentOf(folder.PushedAt)
	}
	list := &fileList{More: max(len(folder.Entries)-maxFiles, 0)}
	for _, one := range folder.Entries[:min(len(folder.Entries), maxFiles)] {
		row := fileRow{IsFolder: one.Type == "dir", Name: shownName(one.Name)}
		if !row.IsFolder && one.Size >= 0 {
			row.Size = humanize.Bytes(one.Size)
		}
		if folder.FilesURL != "" { // code hosts show folders there too
			row.Href = folder.FilesURL + (&url.URL{Path: one.Path}).EscapedPath()
		}
		list.Rows = append(list.Rows, row)
	}
	return list
}

// askInTime reads the answer to a request of the API into a value. It returns false if this server doesn't have the answer
// within filesTimeout, or would have to ask another one.
func (s *Server) askInTime(ctx context.Context, request string, into any) bool {
	return s.askInBackground(ctx, request)(into)
}

// askInBackground sends the request of askInTime at once. The function that it returns waits for the answer and must be
// called.
func (s *Server) askInBackground(ctx context.Context, request string) (wait func(into any) bool) {
	ctx, cancel := context.WithTimeout(safehttp.Offline(ctx), filesTimeout)
	asked := make(chan firstAnswer, 1)
	go func() { asked <- s.ask(ctx, request) }() // a disk may not answer
	return func(into any) bool {
		defer cancel()
		select {
		case answer := <-asked:
			return answer.status == http.StatusOK && json.Unmarshal(answer.body, into) == nil
		case <-ctx.Done():
			return false
		}
	}
}

// unshown are characters of names that hide or reorder others.
var unshown = regexp.MustCompile(`[\p{Cc}\p{Zl}\p{Zp}\x{061C}\x{200B}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2060}-\x{2069}\x{FEFF}]`)

// shownName makes a name safe to display, as shownName of web/src/lib/repositoryFiles.ts does.
func shownName(name string) string {
	return unshown.ReplaceAllString(strings.ToValidUTF8(name, "\ufffd"), "\ufffd")
}
