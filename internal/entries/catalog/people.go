package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
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

// Limits of what an entry says about its publication, in characters.
const (
	licenseLimit = 100
	doiLimit     = 200
)

var (
	orcidPattern   = regexp.MustCompile(`^(?:https?://)?(?:www\.)?(?:orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])/?$`)
	doiPattern     = regexp.MustCompile(`^(?i:(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/[^\s"<>]+)$`)
	licensePattern = regexp.MustCompile(`^\(*[A-Za-z0-9][A-Za-z0-9.:+-]*\)*(?: (?:AND|OR|WITH) \(*[A-Za-z0-9][A-Za-z0-9.:+-]*\)*)*$`)
)

// ParseORCID returns the id in a text or an address of orcid.org; "" if there is none with a valid check digit.
func ParseORCID(text string) string {
	found := orcidPattern.FindStringSubmatch(strings.ToUpper(strings.TrimSpace(text)))
	if found == nil {
		found = orcidPattern.FindStringSubmatch(strings.TrimSpace(text))
	}
	if found == nil {
		return ""
	}
	digits := strings.ReplaceAll(found[1], "-", "")
	total := 0
	for _, digit := range digits[:15] {
		total = (total + int(digit-'0')) * 2
	}
	if "0123456789X"[(12-total%11)%11] != digits[15] {
		return ""
	}
	return found[1]
}

// ParseDOI returns the identifier in a text or an address of doi.org, as in 10.5281/zenodo.1234; "" if there is none.
func ParseDOI(text string) string {
	found := doiPattern.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil || len(found[1]) > doiLimit || !ValidText(found[1], false) {
		return ""
	}
	return found[1]
}

// ParseLicense returns an SPDX expression, or "" for a text that isn't one.
func ParseLicense(text string) string {
	if text = strings.TrimSpace(text); len(text) > licenseLimit || !licensePattern.MatchString(text) {
		return ""
	}
	return text
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

// storedPeople is the column people: "" if the authors say it all.
func (r Entry) storedPeople() string {
	for _, person := range r.People {
		if person != (Credit{Email: person.Email}) {
			return storedList(r.People)
		}
	}
	return ""
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
