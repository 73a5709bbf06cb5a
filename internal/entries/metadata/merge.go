package metadata

import (
	"cmp"
	"slices"

	"cairn/internal/entries/catalog"
)

// The sources, in the order of their precedence. What a descriptor or a form says comes before all of them. A code host is
// called by its address and comes before DataCite.
const (
	sourceCitation = "CITATION.cff"
	sourceCodeMeta = "codemeta.json"
	sourceZenodo   = ".zenodo.json"
	sourceDataCite = "DataCite"
)

// Found is what sources say about a work: each field whole, from the first source that says it.
type Found struct {
	SourceMetadata

	From       map[string]string `json:"from" doc:"Where each field is from: CITATION.cff, codemeta.json, .zenodo.json, the address of a code host, or DataCite"`
	Asked      []string          `json:"asked" nullable:"false" doc:"The sources that were asked, in the order of their precedence"`
	Unanswered []string          `json:"unanswered,omitempty" doc:"Those that couldn't be asked right now"`
}

// answer is what a source answered.
type answer struct {
	source   string
	metadata SourceMetadata
	failed   bool // it couldn't be asked
}

// merge is the one rule of precedence: a field is taken whole from the first source that says anything valid about it.
func merge(answers []answer) Found {
	found := Found{From: map[string]string{}, Asked: []string{}}
	for _, one := range answers {
		found.Asked = append(found.Asked, one.source)
		if one.failed {
			found.Unanswered = append(found.Unanswered, one.source)
			continue
		}
		meta := one.metadata.valid()
		for _, text := range []struct {
			field    string
			to, from *string
		}{
			{fieldName, &found.Name, &meta.Name},
			{fieldDescription, &found.Description, &meta.Description},
			{fieldLicense, &found.License, &meta.License},
			{fieldVersion, &found.Version, &meta.Version},
			{fieldDOI, &found.DOI, &meta.DOI},
			{fieldLanguage, &found.Language, &meta.Language},
		} {
			if *text.to == "" && *text.from != "" {
				*text.to, found.From[text.field] = *text.from, one.source
			}
		}
		take(&found, fieldTags, one.source, &found.Tags, meta.Tags)
		take(&found, fieldPeople, one.source, &found.People, meta.People)
		take(&found, fieldFunding, one.source, &found.Funding, meta.Funding)
		take(&found, fieldRelated, one.source, &found.RelatedIdentifiers, meta.RelatedIdentifiers)
	}
	return found
}

func take[Item any](found *Found, field, source string, to *[]Item, from []Item) {
	if len(*to) == 0 && len(from) > 0 {
		*to, found.From[field] = from, source
	}
}

// WithoutAddresses returns it without e-mail addresses, for those who only read it. People with only an e-mail address
// are omitted.
func (f Found) WithoutAddresses() Found {
	var people []catalog.Credit
	for _, person := range f.People {
		if person.Email = ""; person.Name != "" {
			people = append(people, person)
		}
	}
	if f.People = people; len(people) == 0 {
		from := map[string]string{}
		for field, source := range f.From {
			if field != fieldPeople {
				from[field] = source
			}
		}
		f.From = from
	}
	return f
}

// Gaps fills what an entry, and those who wrote its descriptor, say nothing about. stated names the fields that they do say, and
// is never overwritten. It returns where each field that it filled is from.
func (f Found) Gaps(stated map[string]bool, into *catalog.Entry) (filled map[string]string) {
	filled = map[string]string{}
	fill := func(field string, set func()) {
		if source := f.From[field]; source != "" && !stated[field] {
			set()
			filled[field] = source
		}
	}
	fill(fieldLicense, func() { into.License = f.License })
	fill(fieldVersion, func() { into.Version = f.Version })
	fill(fieldDOI, func() { into.DOI = f.DOI })
	fill(fieldLanguage, func() { into.Language = f.Language })
	fill(fieldFunding, func() { into.Funding = f.Funding })
	fill(fieldRelated, func() { into.RelatedIdentifiers = f.RelatedIdentifiers })
	for i, person := range into.People {
		if known, isMore := f.about(person); isMore {
			into.People = slices.Clone(into.People)
			into.People[i] = known
			filled[fieldPeople] = f.From[fieldPeople]
		}
	}
	return filled
}

// about adds to somebody what the source of the people says about the same address, and reports whether that is more.
func (f Found) about(person catalog.Credit) (catalog.Credit, bool) {
	at := slices.IndexFunc(f.People, func(other catalog.Credit) bool { return person.Email != "" && other.Email == person.Email })
	if at < 0 {
		return person, false
	}
	known := person
	known.Name, known.ORCID = cmp.Or(person.Name, f.People[at].Name), cmp.Or(person.ORCID, f.People[at].ORCID)
	if known.Affiliation == nil {
		known.Affiliation = f.People[at].Affiliation
	}
	return known, known != person
}

// Keep leaves what an entry had where neither its descriptor nor a source says anything, as long as not all sources could be asked:
// a code host that is down takes no license away.
func (f Found) Keep(stated map[string]bool, before catalog.Entry, into *catalog.Entry) {
	if len(f.Unanswered) == 0 {
		return
	}
	keep := func(field string, set func()) {
		if f.From[field] == "" && !stated[field] {
			set()
		}
	}
	keep(fieldLicense, func() { into.License = before.License })
	keep(fieldVersion, func() { into.Version = before.Version })
	keep(fieldDOI, func() { into.DOI = before.DOI })
	keep(fieldLanguage, func() { into.Language = before.Language })
	keep(fieldFunding, func() { into.Funding = before.Funding })
	keep(fieldRelated, func() { into.RelatedIdentifiers = before.RelatedIdentifiers })
}
