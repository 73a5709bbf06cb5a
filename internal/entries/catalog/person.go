package catalog

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
)

// Credited is somebody whom entries credit, as the entries that a caller sees name them.
type Credited struct {
	ID          string        `json:"id" doc:"Their ORCID iD, or else their name as in an address" example:"0000-0002-1825-0097"`
	Name        string        `json:"name"`
	ORCID       string        `json:"orcid" doc:"Empty if unknown: then these may be several people of one name"`
	Affiliation *Organization `json:"affiliation,omitempty" doc:"Of the newest entry that names one"`
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
		page.Resources[i].withoutAddresses()
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
func (r *Resource) withoutAddresses() {
	r.Authors, r.AddedBy = []string{}, ""
	if !slices.ContainsFunc(r.People, Credit.IsNamedAuthor) {
		r.AuthorNames = nil // they are made of addresses
	}
	r.Maintainers = nil
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
