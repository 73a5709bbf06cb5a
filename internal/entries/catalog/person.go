package catalog

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"cairn/internal/foundation/fault"

	"golang.org/x/text/unicode/norm"
)

// Credited is somebody whom entries credit, as the entries that a caller sees name them.
type Credited struct {
	ID          string        `json:"id" doc:"Their ORCID iD, or else their name as in an address" example:"0000-0002-1825-0097"`
	Name        string        `json:"name"`
	ORCID       string        `json:"orcid" doc:"Empty if unknown: then these may be several people of one name"`
	Affiliation *Organization `json:"affiliation,omitempty" doc:"Of the newest entry that names one"`
}

// personIDLength is the maximum length of an id made of a name, in characters.
const personIDLength = 100

// personID returns the id of somebody who is credited; "" for those without a page. It is made from what everybody reads
// beside the entry, never from an e-mail address, so it says nothing about one (docs/adr/0051).
func (p Credit) personID() string {
	if p.ORCID != "" {
		return ParseORCID(p.ORCID)
	}
	if strings.Contains(p.Name, "@") {
		return ""
	}
	return idOfName(p.Name)
}

// idOfName returns a name in small letters and digits, with hyphens between its words; "" for a name without letters, or
// one that reads as an ORCID iD.
func idOfName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(norm.NFC.String(name)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r)
	})
	id := []rune(strings.Join(words, "-"))
	if text := strings.TrimRight(string(id[:min(len(id), personIDLength)]), "-"); ParseORCID(text) == "" && strings.ContainsFunc(text, unicode.IsLetter) {
		return text
	}
	return ""
}

// personIDs returns the ids of everybody whom an entry credits, each once.
func (r *Entry) personIDs() []string {
	var ids []string
	for _, person := range r.People {
		if id := person.personID(); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// personSample is how many of the newest entries say how somebody is named.
const personSample = 100

// creditedPeople finds those whom entries credit.
type creditedPeople struct{ entries *Service }

// find returns somebody by their id or ORCID iD, and a page of the entries that credit them and that the caller sees,
// newest first, without any e-mail address. It returns NotFound if there are none.
func (p creditedPeople) find(ctx context.Context, id string, offset, limit int, cards bool) (Credited, Page, error) {
	if orcid := ParseORCID(id); orcid != "" {
		id = orcid
	} else {
		id = idOfName(id)
	}
	nobody := fault.New(fault.NotFound, "No entry credits this person, or you don't have access to it.")
	if id == "" {
		return Credited{}, Page{}, nobody
	}
	query := Query{Person: id, Sort: SortNewest, Limit: personSample}
	page, err := p.entries.Search(ctx, query, cards)
	if err != nil {
		return Credited{}, Page{}, err
	}
	person := personIn(page.Resources, id)
	if person.Name == "" {
		return Credited{}, Page{}, nobody
	}
	if offset > 0 || limit != personSample {
		query.Offset, query.Limit = offset, limit
		if page, err = p.entries.Search(ctx, query, cards); err != nil {
			return Credited{}, Page{}, err
		}
	}
	page.Hint = nil // of searches with a text
	for i := range page.Resources {
		page.Resources[i].Entry().withoutAddresses()
	}
	return person, page, nil
}

// personIn returns somebody as most of the entries name them, or the newest of these if as many name them otherwise.
func personIn(newest []Resource, id string) Credited {
	person := Credited{ID: id, ORCID: ParseORCID(id)}
	spellings := map[string]int{}
	for _, entry := range newest {
		for _, credit := range entry.People {
			if credit.personID() != id {
				continue
			}
			if person.Affiliation == nil {
				person.Affiliation = credit.Affiliation
			}
			if strings.Contains(credit.Name, "@") {
				continue
			}
			if spellings[credit.Name]++; person.Name == "" || spellings[credit.Name] > spellings[person.Name] {
				person.Name = credit.Name
			}
		}
	}
	return person
}

// mailAddress finds e-mail addresses in what people wrote.
var mailAddress = regexp.MustCompile(`[\p{L}\p{N}_.+-]+@[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)+`)

// WithoutMail keeps e-mail addresses from those who collect them from catalogs.
func WithoutMail(text string) string {
	if !strings.Contains(text, "@") { // as most texts don't: harvests would spend their time looking
		return text
	}
	return mailAddress.ReplaceAllString(text, "[e-mail address]")
}

// HasMail reports whether there is an e-mail address in a text.
func HasMail(text string) bool { return mailAddress.MatchString(text) }

// withoutAddresses takes all e-mail addresses out of an entry as lists show it. It shares nothing with the entry as it is cached.
func (r *Entry) withoutAddresses() {
	r.Authors, r.AddedBy = []string{}, ""
	r.Name, r.Description = WithoutMail(r.Name), WithoutMail(r.Description)
	r.Tags = slices.Clone(r.Tags)
	for i := range r.Tags {
		r.Tags[i].Value = WithoutMail(r.Tags[i].Value)
	}
	r.People = slices.DeleteFunc(slices.Clone(r.People), func(p Credit) bool { return p.Name == "" })
	for i := range r.People {
		r.People[i].Email, r.People[i].Name = "", WithoutMail(r.People[i].Name)
	}
}
