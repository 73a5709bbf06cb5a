package catalog

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"cairn/internal/entries/catalog/index"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Tag is a word that groups entries.
type Tag struct {
	ID    string `json:"id" format:"uuid"`
	Value string `json:"value"`
}

// Entry is an entry of the catalog: its row, with its tags and authors.
type Entry struct {
	ID          string
	ExternalID  string // the operator's id, for imports
	Name        string
	Type        Type
	Description string
	HeaderImage string
	Tags        []Tag
	Authors     []string
	People      []Credit
	AddedBy     string
	Privacy     Privacy
	Audience    Audience // of a private one
	Status      Status
	State       string
	CreatedAt   time.Time
	UpdatedAt   time.Time

	RepositoryURL          string
	DatasetURL             string
	NotebookPath           string
	ApplicationInterfaceID string
	Version                string
	License                string
	DOI                    string
	Language               string

	IssuedAt           *time.Time
	Funding            []Funding
	RelatedIdentifiers []RelatedIdentifier

	Needs  *Needs
	HostID string // REPOSITORY: the code host and its own id, which stays through renaming; "" if unknown

	Hidden       bool
	HiddenReason string
	Featured     bool

	LastRun   *LastRun
	StarCount int

	Content string // Markdown of its files, in imports alone
	listed  listed
}

// listed is what lists need of an entry besides.
type listed struct {
	starters int    // accounts that started it lately, as last counted
	card     string // the description as a line of plain text
}

// Public reports whether everybody may see an entry.
func (r Entry) Public() bool {
	return r.State == StateActive && r.Privacy == PrivacyPublic && !r.Hidden
}

// VisibleTo reports whether an e-mail may see an entry: everybody sees public ones, authors their private and hidden
// ones, nobody deleted ones. Who sees one that is ForHost isn't up to e-mails: Service asks.
func (r Entry) VisibleTo(email string) bool {
	return r.Public() || (r.State == StateActive && r.Audience != AudienceHost && r.authoredBy(email))
}

// ForHost reports whether an entry is shown to those whom its code host shows the repository.
func (r Entry) ForHost() bool {
	return r.State == StateActive && r.Audience == AudienceHost && !r.Public()
}

// ReadableBy reports whether a caller may open an entry: those who see it, and operators if they hid it.
func (r Entry) ReadableBy(caller identity.Caller) bool {
	return r.VisibleTo(caller.Email) || r.CuratedBy(caller)
}

// CuratedBy reports whether a caller may read and decide about what was public once: operators may. Entries that
// their authors keep private are none of their business.
func (r Entry) CuratedBy(caller identity.Caller) bool {
	return caller.Operator && r.State == StateActive && r.Privacy == PrivacyPublic
}

// DeletableBy reports whether an e-mail may delete and sync an entry: its authors.
func (r Entry) DeletableBy(email string) bool {
	return r.State == StateActive && r.authoredBy(email)
}

// EditableBy reports whether an e-mail may change an entry here: its authors. The entry of a repository elsewhere is what its
// descriptor says, so it is synced instead.
func (r Entry) EditableBy(email string) bool {
	_, kept := r.Kept()
	return r.DeletableBy(email) && (r.Type != Repository || kept)
}

// AuthorsText names the first author and says whether there are others.
func (r Entry) AuthorsText() string {
	if len(r.Authors) == 0 {
		return r.AddedBy
	}
	if len(r.Authors) > 1 {
		return r.Authors[0] + " and others"
	}
	return r.Authors[0]
}

// Normalize converts an entry to the form in which it is stored: no blanks around texts, normalized e-mails, tags and
// authors without duplicates, tags sorted by value.
func (r *Entry) Normalize() {
	for _, text := range []*string{
		&r.Name, &r.HeaderImage, &r.RepositoryURL, &r.DatasetURL, &r.NotebookPath, &r.ApplicationInterfaceID, &r.Version,
		&r.License, &r.DOI, &r.Language,
	} {
		*text = strings.TrimSpace(*text)
	}
	r.DatasetURL = normalDataAddress(r.DatasetURL)
	authors := make([]string, 0, len(r.Authors))
	seen := make(map[string]bool, len(r.Authors)) // a request may contain very many
	for _, author := range r.Authors {
		if email := identity.NormalizeEmail(author); email != "" && !seen[email] {
			seen[email] = true
			authors = append(authors, email)
		}
	}
	r.Authors = authors
	r.AddedBy = identity.NormalizeEmail(r.AddedBy)
	if r.Privacy != PrivacyPrivate || r.Type != Repository {
		r.Audience = AudienceAuthors
	}
	r.normalizePublication()
	if r.Needs != nil && *r.Needs == (Needs{}) {
		r.Needs = nil
	}
	tags := make([]Tag, 0, len(r.Tags))
	clear(seen)
	for _, tag := range r.Tags {
		if value := strings.TrimSpace(tag.Value); value != "" && !seen[value] {
			seen[value] = true
			tags = append(tags, Tag{ID: tag.ID, Value: value})
		}
	}
	slices.SortFunc(tags, func(a, b Tag) int { return index.CompareTags(a.Value, b.Value) })
	r.Tags = tags
}

// Check returns every fault of a normalized entry; none if it can be stored. Locations are the names of its fields.
func (r Entry) Check() []fault.Field {
	var faults []fault.Field
	add := func(location, message string) {
		faults = append(faults, fault.Field{Location: location, Message: message})
	}
	one := func(location, message string) {
		if message != "" {
			add(location, message)
		}
	}
	ask := func(missing bool, question string) { // at the last fault
		if missing {
			faults[len(faults)-1].Ask = question
		}
	}
	one("name", CheckName(r.Name))
	ask(!validLength(r.Name), "Enter a name of 1 to 200 characters.")
	one("description", CheckDescription(r.Description))
	if len(r.Authors) > 0 || r.AddedBy == "" || r.Privacy == PrivacyPrivate && r.Audience != AudienceHost { // lists show private entries to authors
		one("authors", CheckAuthors(len(r.Authors)))
		ask(len(r.Authors) == 0, "Enter at least one e-mail address.")
	}
	for _, author := range r.Authors[:min(len(r.Authors), AuthorsLimit)] {
		one("authors", CheckAuthor(author, author))
	}
	one("tags", CheckTags(len(r.Tags)))
	for _, tag := range r.Tags[:min(len(r.Tags), TagsLimit)] {
		one("tags", CheckTag(tag.Value))
	}
	one("privacy", CheckPrivacy(r.Privacy))
	if r.Audience != AudienceAuthors && r.Audience != AudienceHost {
		add("audience", fault.Quote(string(r.Audience))+" isn't host")
	}
	if len(r.HeaderImage) > addressLimit || !ValidText(r.HeaderImage, false) {
		add("headerImage", "can have at most 2,000 characters, on one line")
	}
	faults = append(faults, r.checkPublication()...)
	faults = append(faults, r.checkNeeds()...)
	kind, ok := kinds[r.Type]
	if !ok {
		add("type", fault.Quote(string(r.Type))+" is none of "+names(Types[:]))
		return faults
	}
	return append(faults, kind.check(r)...)
}

// CheckForm is Check in the words of the entry's form. It doesn't mention addresses that only operators may write to
// others: the next answer would refuse those.
func (r Entry) CheckForm(operator bool) []fault.Field {
	faults := r.Check()
	for i, one := range faults {
		if !operator && (one.Location == "datasetUrl" || one.Location == "notebookPath") {
			wanted := "an address that begins with https://"
			if one.Location == "datasetUrl" {
				wanted += ", or a DOI"
			}
			one = addressFault(one.Location, r.DatasetURL+r.NotebookPath, wanted)
		}
		if one.Ask != "" {
			one.Message = one.Ask
		}
		faults[i] = one
	}
	return faults
}

// The rules for single values. Each returns what is wrong, or "".

// CheckDescription checks a description in Markdown.
func CheckDescription(text string) string {
	if utf8.RuneCountInString(text) > DescriptionLimit {
		return "can have at most 20,000 characters"
	}
	if !ValidText(text, true) {
		return "has control characters or isn't UTF-8"
	}
	return ""
}

// CheckAuthor checks an author's address; the result names the author as written.
func CheckAuthor(email, written string) string {
	if !identity.ValidEmail(email) {
		return fault.Quote(written) + " isn't an e-mail address"
	}
	return ""
}

// CheckTags checks the number of tags.
func CheckTags(count int) string {
	if count > TagsLimit {
		return "can't be more than 30"
	}
	return ""
}

// CheckTag checks a tag.
func CheckTag(value string) string {
	if utf8.RuneCountInString(value) > TagLimit || !ValidText(value, false) {
		return fault.Quote(value) + " must be 1 to 60 characters on one line"
	}
	return ""
}

// CheckPrivacy checks a privacy.
func CheckPrivacy(privacy Privacy) string {
	if privacy != PrivacyPublic && privacy != PrivacyPrivate {
		return fault.Quote(string(privacy)) + " is neither PUBLIC nor PRIVATE"
	}
	return ""
}

// Summary is the description as one line of plain text of at most limit characters.
func (r Entry) Summary(limit int) string { return plainText(r.Description, limit) }
