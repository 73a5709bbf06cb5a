package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"cairn/internal/entries/personname"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"

	"golang.org/x/text/unicode/norm"
)

// Credit names somebody whom an entry credits. Those with an address are also among its authors.
type Credit struct {
	Name  string `json:"name" doc:"Empty if only the address is known"`
	ORCID string `json:"orcid" doc:"As in 0000-0002-1825-0097; empty if unknown"`
	Email string `json:"email,omitempty" doc:"In lower case; for signed-in callers only"`

	Affiliation *Organization `json:"affiliation,omitempty" doc:"Where they work"`
	Role        Role          `json:"role,omitempty" doc:"What they did, as one of DataCite's types of contributors; absent for authors" example:"DataCurator"`

	ID string `json:"id,omitempty" doc:"Of their page, /people/{id}; only in answers, and absent for those without one"`
}

// CheckPerson checks somebody who is credited.
func CheckPerson(p Credit) string {
	_, problem := p.check()
	return problem
}

// check returns the first fault of somebody who is credited, and its field.
func (p Credit) check() (field, problem string) {
	switch {
	case p.Name == "" && p.Email == "":
		return ".name", "needs a name or an e-mail address"
	case p.Name != "" && CheckName(p.Name) != "":
		return ".name", fault.Quote(p.Name) + " " + CheckName(p.Name)
	case p.Email != "" && !identity.ValidEmail(p.Email):
		return ".email", fault.Quote(p.Email) + " isn't an e-mail address"
	case p.ORCID != "" && ParseORCID(p.ORCID) != p.ORCID:
		return ".orcid", fault.Quote(p.ORCID) + " isn't an ORCID iD, such as 0000-0002-1825-0097: a digit may be mistyped"
	case !slices.Contains(Roles[:], p.Role):
		return ".role", fault.Quote(string(p.Role)) + " isn't a role; leave it out for authors, or write one of" + names(Roles[:])[1:]
	case p.Affiliation == nil:
		return "", ""
	case CheckName(p.Affiliation.Name) != "":
		return ".affiliation.name", "the affiliation " + CheckName(p.Affiliation.Name)
	case p.Affiliation.ROR != "" && ParseROR(p.Affiliation.ROR) != p.Affiliation.ROR:
		return ".affiliation.ror", fault.Quote(p.Affiliation.ROR) + " isn't a ROR ID, such as https://ror.org/05a28rw58: a character may be mistyped"
	}
	return "", ""
}

// checkPublication checks what an entry says about its people, license and DOI.
func (r Entry) checkPublication() []fault.Field {
	var faults []fault.Field
	add := func(location, message string) {
		if message != "" {
			faults = append(faults, fault.Field{Location: location, Message: message})
		}
	}
	if len(r.People) > AuthorsLimit {
		add("people", CheckAuthors(len(r.People)))
	}
	for i, person := range r.People[:min(len(r.People), AuthorsLimit)] {
		field, problem := person.check()
		add(fmt.Sprintf("people[%d]%s", i, field), problem)
	}
	if r.License != "" && ParseLicense(r.License) == "" {
		add("license", fault.Quote(r.License)+" isn't an SPDX expression, such as MIT")
	}
	if r.DOI != "" && ParseDOI(r.DOI) != r.DOI {
		add("doi", fault.Quote(r.DOI)+" isn't a DOI, such as 10.5281/zenodo.1234")
	}
	faults = append(faults, r.CheckCited()...)
	if r.AddedBy != "" && !identity.ValidEmail(r.AddedBy) {
		add("addedBy", fault.Quote(r.AddedBy)+" isn't an e-mail address")
	}
	return faults
}

// IsNamedAuthor reports whether somebody is credited by name, for what authors do.
func (p Credit) IsNamedAuthor() bool { return p.Role == "" && p.isNamed() }

func (p Credit) isNamed() bool { return p.Name != "" && !strings.Contains(p.Name, "@") }

// AuthorNames returns what an entry's authors are called: those whom it credits by name, or else what their addresses spell.
func (r Entry) AuthorNames() []string {
	var named []string
	for _, one := range r.People {
		if one.IsNamedAuthor() {
			named = append(named, one.Name)
		}
	}
	if len(named) > 0 {
		return named
	}
	for _, address := range r.Authors {
		given, family := personname.InAddress(address)
		named = append(named, cmp.Or(strings.TrimSpace(given+" "+family), personname.GroupInAddress(address)))
	}
	return named
}

// maintainers returns the addresses of authors whom an entry doesn't credit by name; for strangers, without their domain.
func (r Entry) maintainers(signedIn bool) []string {
	var addresses []string
	for _, address := range r.Authors {
		switch local, _, _ := strings.Cut(address, "@"); {
		case slices.ContainsFunc(r.People, func(one Credit) bool { return one.Email == address && one.isNamed() }):
		case signedIn:
			addresses = append(addresses, address)
		default:
			addresses = append(addresses, local+"@…")
		}
	}
	return addresses
}

// credit adds to an answer what the entry's authors are called, and shows its people as the caller may read them.
func (r *Resource) credit(caller identity.Caller, signedIn bool) {
	entry := r.Entry()
	r.AuthorNames, r.Maintainers = entry.AuthorNames(), entry.maintainers(signedIn)
	entry.credit(caller, signedIn)
}

// credit shows a caller the people of an entry, and who added it. It shares nothing with the entry as it is cached.
func (r *Entry) credit(caller identity.Caller, signedIn bool) {
	people := make([]Credit, len(r.People), max(len(r.People), len(r.Authors)))
	copy(people, r.People)
	if len(people) == 0 {
		for _, email := range r.Authors {
			people = append(people, Credit{Email: email})
		}
	}
	for i := range people {
		people[i].ID = people[i].personID()
		if !signedIn {
			people[i].Email = ""
		}
	}
	r.People = people
	if !caller.Operator && !r.authoredBy(caller.Email) {
		r.AddedBy = ""
	}
}

func (r Entry) authoredBy(email string) bool {
	return email != "" && (slices.Contains(r.Authors, email) || email == r.AddedBy)
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

// Role says what somebody did for an entry. Authors have none; the others are DataCite's types of contributors.
type Role string

// Roles are all roles, in the order in which forms offer them. The first one is the author's.
var Roles = [...]Role{
	"", "ContactPerson", "DataCollector", "DataCurator", "DataManager", "Editor", "Producer", "ProjectLeader", "ProjectMember", "Researcher",
	"RightsHolder", "Supervisor", "Other",
}

// Organization is somewhere that people work, or that publishes.
type Organization struct {
	Name string `json:"name"`
	ROR  string `json:"ror" doc:"As in https://ror.org/05a28rw58; empty if unknown"`
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
