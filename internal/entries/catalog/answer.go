package catalog

import (
	"context"
	"time"

	"cairn/internal/entries/catalog/index"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// CoverKind says what the cover of an entry shows.
type CoverKind string

// The kinds of covers.
const (
	CoverHeader    CoverKind = "header"
	CoverPlot      CoverKind = "plot"
	CoverColumn    CoverKind = "column"
	CoverPicture   CoverKind = "picture"
	CoverLanguages CoverKind = "languages"
	CoverDrawing   CoverKind = "drawing"
)

// Resource is what the API answers about an entry: the entry as the caller may see it, and what only answers say.
type Resource struct {
	EntryJSON

	AuthorNames []string `json:"authorNames,omitempty" doc:"What its authors are called: those whom it credits by name, or else what the addresses of its authors spell"`
	Maintainers []string `json:"maintainers,omitempty" doc:"Addresses of its authors whom it doesn't credit by name. Callers who aren't signed in read them without their domain, as in ada@…"`

	DataMissing      bool      `json:"dataMissing,omitempty" doc:"DATASET: its data is not on this server"`
	NotebookSource   string    `json:"notebookSource,omitempty" doc:"NOTEBOOK, when it is asked for alone: bundled:NAME.ipynb or an https address, as it was entered"`
	RepositoryID     string    `json:"repositoryId,omitempty" format:"uuid" doc:"NOTEBOOK, when asked for alone: the entry of the repository that its address lies in"`
	HeaderImageURL   string    `json:"headerImageUrl,omitempty" doc:"Where this server shows the header image, if that is a web address; for private entries it is good for 15 to 30 minutes"`
	CoverURL         string    `json:"coverUrl,omitempty" doc:"A picture of it, at most 60 KiB; absent in entries of projects. The address changes with the entry; for private entries it is good for 15 to 30 minutes"`
	CoverKind        CoverKind `json:"coverKind,omitempty" enum:"header,plot,column,picture,languages,drawing" doc:"What the cover shows; drawing without coverUrl: there is none. header: the header image; plot: the first picture that the notebook has; column: values of the data; picture: the first one in the README; languages: the repository's, by their share of its code; drawing: nothing of the entry. Until it was made, what such entries usually have"`
	NotebookFrameURL string    `json:"notebookFrameUrl,omitempty" doc:"NOTEBOOK, when it is asked for alone: where it is shown, for a frame; good for 5 minutes"`
	UsedBy           int       `json:"usedBy,omitempty" doc:"When asked for alone: how many projects that the caller may see hold it"`

	Runnable *bool      `json:"runnable,omitempty" doc:"Whether a session can be started from it; absent in entries of projects"`
	RunNote  string     `json:"runNote,omitempty" doc:"Why it can't run, for people"`
	RunCode  fault.Code `json:"runCode,omitempty" enum:"not_runnable,language_missing,no_profile_fits" doc:"With runNote: the code that a start is refused with. no_profile_fits: a start that names a profile isn't refused"`
	Matched  []Match    `json:"matched,omitempty" doc:"With highlight=true: what matches the text of the search"`

	Starred       *bool         `json:"starred,omitempty" doc:"For a signed-in caller: starred by them"`
	CanDelete     *bool         `json:"canDelete,omitempty" doc:"For a signed-in caller"`
	CanEdit       *bool         `json:"canEdit,omitempty" doc:"For a signed-in caller"`
	CanSync       *bool         `json:"canSync,omitempty" doc:"For a signed-in caller"`
	NamedBy       string        `json:"namedBy,omitempty" doc:"For an author, when asked for alone: who named them as one, if someone else did"`
	FormerAuthors []string      `json:"formerAuthors,omitempty" doc:"For an author, when asked for alone: the addresses of those who left it. They stay out, even if they're named again"`
	Closed        *Closed       `json:"closed,omitempty" doc:"For an author who can't read the repository at its code host now: why there is nothing but the name"`
	Publishable   bool          `json:"publishable,omitempty" doc:"For an author, when asked for alone: everybody can read its repository by now, so a sync can make it public"`
	ShownVersion  *ShownVersion `json:"entryVersion,omitempty" doc:"When asked for alone: which of its versions this is, if it has several or its files are kept here"`
	CanCurate     bool          `json:"canCurate,omitempty" doc:"For operators: they may hide, feature and verify it"`
}

// EntryJSON are the fields of an entry in the words of the API. The two types have the same fields in the same order, or else
// the conversions below don't compile; so an entry becomes an answer without a list of assignments.
type EntryJSON struct {
	ID          string    `json:"id" format:"uuid"`
	ExternalID  string    `json:"-"`
	Name        string    `json:"name"`
	Type        Type      `json:"type"`
	Description string    `json:"description" doc:"Markdown; 280 characters of plain text with view=card"`
	HeaderImage string    `json:"headerImage"`
	Tags        []Tag     `json:"tags" doc:"Sorted by value"`
	Authors     []string  `json:"authors" doc:"E-mail addresses in lower case"`
	People      []Credit  `json:"people,omitempty" doc:"Everyone who is credited, in their order; authors has those with an address"`
	AddedBy     string    `json:"addedBy,omitempty" doc:"Who added it with an author's rights and is not an author; for authors and operators"`
	Privacy     Privacy   `json:"privacy" enum:"PUBLIC,PRIVATE"`
	Audience    Audience  `json:"audience,omitempty" enum:"host" doc:"PRIVATE: host if it is shown to those who can read its repository at the code host now; absent: to its authors"`
	Status      Status    `json:"status" enum:"NONE,PENDING,VERIFIED,REJECTED"`
	State       string    `json:"state" enum:"ACTIVE,DELETED"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`

	RepositoryURL          string `json:"repositoryUrl,omitempty" doc:"REPOSITORY: its clone address"`
	DatasetURL             string `json:"datasetUrl,omitempty" doc:"DATASET: an https address, a DOI as in doi:10.5281/zenodo.1234, a folder below the operator's data root, or bundled:NAME"`
	NotebookPath           string `json:"notebookPath,omitempty" doc:"NOTEBOOK: bundled:NAME.ipynb or an https address; when it is asked for alone, where it is shown, for a frame"`
	ApplicationInterfaceID string `json:"applicationInterfaceId,omitempty" doc:"MODEL: its id at the workflow platform"`
	Version                string `json:"version,omitempty" doc:"MODEL and REPOSITORY"`
	License                string `json:"license" doc:"SPDX expression; empty if unknown"`
	DOI                    string `json:"doi,omitempty" example:"10.5281/zenodo.1234"`
	Language               string `json:"language,omitempty" doc:"A BCP 47 tag; empty if unknown" example:"en"`

	IssuedAt           *time.Time          `json:"issuedAt,omitempty" doc:"When it was public for the first time; absent if it never was. It stays as it is"`
	Funding            []Funding           `json:"funding,omitempty" doc:"Awards that paid for it; absent with view=card"`
	RelatedIdentifiers []RelatedIdentifier `json:"relatedIdentifiers,omitempty" doc:"What it has to do with; absent with view=card"`

	Needs  *Needs `json:"needs,omitempty" doc:"REPOSITORY: what its descriptor asks of a session; absent if nothing"`
	HostID string `json:"-"`

	Hidden       bool   `json:"hidden,omitempty" doc:"Taken off the catalog by an operator: only its authors and operators see it"`
	HiddenReason string `json:"hiddenReason,omitempty" doc:"Why it is hidden"`
	Featured     bool   `json:"featured,omitempty" doc:"Put on the landing page by an operator"`

	LastRun   *LastRun `json:"lastRun,omitempty" doc:"NOTEBOOK and REPOSITORY: how it ran when the catalog itself ran it; absent until then"`
	StarCount int      `json:"starCount"`

	Content string `json:"-"`
	listed  listed
}

// Resource returns the answer about an entry to which nothing is added.
func (r Entry) Resource() Resource { return Resource{EntryJSON: EntryJSON(r)} }

// AnswerFor returns what the caller reads of an entry that they may see, where neither links nor rights are added.
func (r Entry) AnswerFor(ctx context.Context) Resource {
	answer := r.Resource()
	answer.credit(identity.From(ctx))
	return answer
}

// Entry returns the entry that is answered. It is a part of the answer, not a copy.
func (r *Resource) Entry() *Entry { return (*Entry)(&r.EntryJSON) }

// Link adds to answers the address of something that their readers can open, or something else that isn't in the entry.
type Link struct {
	Add   func(answer *Resource, reader Reader)
	Alone bool // only if a single entry is requested
}

func (s *Service) addLinks(answer *Resource, reader Reader, alone bool) {
	for _, link := range s.links {
		if link.Alone == alone {
			link.Add(answer, reader)
		}
	}
}

// answers returns what the caller reads of entries: with the addresses of previews, and for signed-in callers with their stars
// and rights.
func (s *Service) answers(ctx context.Context, entries []Entry) ([]Resource, error) {
	answers := make([]Resource, len(entries)) // never nil: an answer's list may be empty, but is there
	for i := range entries {
		answers[i].EntryJSON = EntryJSON(entries[i])
	}
	return answers, s.complete(ctx, answers)
}

// complete adds to entries that are answered what answers does.
func (s *Service) complete(ctx context.Context, answers []Resource) error {
	caller, ok := identity.From(ctx)
	for i := range answers {
		if answers[i].Closed == nil {
			s.addLinks(&answers[i], caller, false)
		}
		answers[i].credit(caller, ok)
	}
	if !ok {
		return nil
	}
	ids := make([]string, len(answers))
	for i := range answers {
		ids[i] = answers[i].ID
	}
	stars, err := s.store.StarredAmong(ctx, caller.AccountID, ids)
	if err != nil {
		return err
	}
	for i := range answers {
		answers[i].addRights(caller, stars[answers[i].ID])
	}
	return nil
}

// addRights adds what a signed-in caller did with an entry, and what they may do.
func (r *Resource) addRights(caller identity.Caller, starred bool) {
	entry := r.Entry()
	mayDelete, mayEdit := entry.DeletableBy(caller.Email), entry.EditableBy(caller.Email)
	_, kept := entry.Kept()
	maySync := mayDelete && entry.Type == Repository && !kept
	r.CanCurate = entry.CuratedBy(caller)
	if r.Closed != nil {
		maySync = false
	}
	r.Starred, r.CanDelete, r.CanEdit, r.CanSync = &starred, &mayDelete, &mayEdit, &maySync
}

// Match is a text of an entry that matches a search.
type Match struct {
	Field string       `json:"field" enum:"name,description,tags,authors,content"`
	Text  string       `json:"text" doc:"The name, a tag, an author's name or address, or up to 200 characters of the description or of the entry's files, as plain text"`
	Marks []index.Mark `json:"marks" nullable:"false" doc:"What matches in it: pairs of start and end, in UTF-16 code units"`
}

// Reader is who reads entries; the zero value: somebody who isn't signed in.
type Reader = identity.Caller
