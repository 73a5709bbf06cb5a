package contribute

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/metadata"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/people/identity"
)

// Descriptor is the checked content of a repository's descriptor, ready for an entry.
type Descriptor struct {
	RepositoryURL      string                      `json:"repositoryUrl" doc:"As an entry has it"`
	File               string                      `json:"file" example:"cairn.yml"`
	Branch             string                      `json:"branch"`
	Name               string                      `json:"name"`
	Description        string                      `json:"description" doc:"Markdown"`
	Authors            []string                    `json:"authors,omitempty" doc:"E-mail addresses in lower case; absent if missing names them"`
	People             []catalog.Credit            `json:"people" doc:"Everyone who is credited"`
	Tags               []string                    `json:"tags" doc:"By value"`
	Privacy            catalog.Privacy             `json:"privacy,omitempty" enum:"PUBLIC,PRIVATE" doc:"Absent if missing names it"`
	Audience           catalog.Audience            `json:"audience,omitempty" enum:"host" doc:"host: the repository is private, so its entry is shown to those who can read it at its code host"`
	License            string                      `json:"license" doc:"SPDX expression; empty if unknown"`
	Version            string                      `json:"version"`
	DOI                string                      `json:"doi"`
	Language           string                      `json:"language,omitempty" doc:"A BCP 47 tag"`
	Missing            []string                    `json:"missing,omitempty" enum:"privacy,authors" doc:"What the file lacks and the caller may decide: privacy, authors (no author has an address)"`
	Funding            []catalog.Funding           `json:"funding,omitempty"`
	RelatedIdentifiers []catalog.RelatedIdentifier `json:"relatedIdentifiers,omitempty"`
	Needs              *catalog.Needs              `json:"needs,omitempty" doc:"What it asks of a session"`

	Found map[string]string `json:"found,omitempty" doc:"The fields that the file doesn't have, and where they come from: CITATION.cff, codemeta.json, .zenodo.json, the address of the code host, or DataCite" example:"{\"license\":\"CITATION.cff\"}"`

	Unanswered []string `json:"unanswered,omitempty" doc:"Sources of missing fields that couldn't be asked. A sync keeps what the entry has in these fields"`

	PrivacyMissing bool `json:"privacyMissing" doc:"The file does not name it, so it is PUBLIC; at a sync only"`

	authors codehost.DescriptorField
	privacy fault.Field // why it is in Missing
	content []byte
	from    source
	said    map[string]bool // fields that the file has, even if they are empty
	found   metadata.Found
}

// fillGaps fills what the file doesn't have from what was found.
func (d *Descriptor) fillGaps(found metadata.Found) {
	var r catalog.Entry
	d.applyTo(&r)
	d.Found, d.Unanswered, d.found = found.Gaps(d.said, &r), found.Unanswered, found
	r.Normalize()
	d.People, d.License, d.Version, d.DOI, d.Language = r.People, r.License, r.Version, r.DOI, r.Language
	d.Funding, d.RelatedIdentifiers = r.Funding, r.RelatedIdentifiers
}

// applyTo writes the descriptor into an entry.
func (d Descriptor) applyTo(r *catalog.Entry) {
	r.Name, r.Description, r.Authors, r.Privacy, r.Audience = d.Name, d.Description, d.Authors, d.Privacy, d.Audience
	r.People, r.License, r.Version, r.DOI, r.Language = d.People, d.License, d.Version, d.DOI, d.Language
	r.Funding, r.RelatedIdentifiers, r.Needs = d.Funding, d.RelatedIdentifiers, d.Needs
	r.Tags = make([]catalog.Tag, len(d.Tags))
	for i, value := range d.Tags {
		r.Tags[i] = catalog.Tag{Value: value}
	}
}

// Examples of valid values, for messages about faulty fields.
var descriptorExamples = map[string]string{
	"name":        `name: "The name of your work"`,
	"description": `description: "What it does, for whom."`,
	"authors":     "authors: [you@example.org]",
	"privacy":     "privacy: PUBLIC",
}

// faultsOfDescriptor limits the faults in one answer about a file.
const faultsOfDescriptor = 20

// readDescriptor checks a descriptor by the rules of entries. Each fault names its line, its field, the value and how
// to fix it. For a sync a missing privacy is PUBLIC; otherwise it is in Missing, also if it is where it isn't read. A sync
// asks nobody, so it refuses a file that says PRIVATE there. The authors are in Missing if none has an address. In a file
// that has other faults both are faults, too.
func readDescriptor(content []byte, sync bool) (Descriptor, []fault.Field) {
	written, faults := codehost.ParseDescriptor(content)
	if len(faults) > 0 {
		return Descriptor{}, faults
	}
	c := &descriptorCheck{}
	d := Descriptor{
		Name:        c.text("name", written.Name, catalog.CheckName, "Give it a short name on one line; the description can say more."),
		Description: c.text("description", written.Description, catalog.CheckDescription, "Keep it short and plain; the README can say more."),
		People:      []catalog.Credit{}, Tags: []string{}, authors: written.Authors, content: content,
		said: map[string]bool{
			"license": written.License.Line > 0, "version": written.Version.Line > 0, "doi": written.DOI.Line > 0, "language": written.Language.Line > 0,
			"funding": written.Funding.Line > 0, "relatedIdentifiers": written.Related.Line > 0,
		},
	}
	var lacks []fault.Field
	lack := func(name string, line int, message string) {
		d.Missing = append(d.Missing, name)
		location, remedy := name, " Add to project: "
		if line > 0 {
			location, remedy = codehost.DescriptorPlace(line, name), " Add one, as in: "
		}
		lacks = append(lacks, fault.Field{Location: location, Message: message + remedy + descriptorExamples[name]})
	}
	if hasNearMiss(written.Authors) || len(written.Authors.Faults) > 0 {
		c.require("authors", written.Authors)
	} else {
		d.Authors, d.People = c.authors(written.Authors)
		if len(d.Authors) == 0 && len(c.faults) == 0 {
			lack("authors", written.Authors.Line, "No author has an e-mail address.")
		}
	}
	c.faults = append(c.faults, written.Tags.Faults...)
	c.rule(written.Tags, "tags", "The tags %s. Keep the ones people search for.", catalog.CheckTags(len(written.Tags.Texts)))
	for _, tag := range written.Tags.Texts {
		c.item(tag, "tags", catalog.CheckTag(tag.Value), "Shorten it, or split it into several tags.")
		d.Tags = append(d.Tags, tag.Value)
	}
	c.faults = append(c.faults, written.Check.Faults...)
	if count := len(written.Check.Texts); count > codehost.CheckLimit {
		c.add(written.Check.Line, "check", "These are %d notebooks, and at most %d are run. Keep those that show that the project works.", count, codehost.CheckLimit)
	}
	for _, file := range written.Check.Texts {
		if problem := codehost.CheckedPath(file.Value); problem != "" {
			c.item(file, "check", fault.Quote(file.Value)+" "+problem, "Write one such as notebooks/first.ipynb.")
		}
	}
	privacy := written.Privacy
	switch {
	case sync && privacy.Elsewhere.Value == string(catalog.PrivacyPrivate):
		c.faults = append(c.faults, misplaced(privacy.Elsewhere))
	case len(privacy.Faults)+len(privacy.Texts) > 0 || hasNearMiss(privacy):
		d.Privacy = catalog.Privacy(c.text("privacy", privacy, func(text string) string { return catalog.CheckPrivacy(catalog.Privacy(text)) },
			"Write PUBLIC if everyone may see the entry, PRIVATE if only its authors may."))
	case sync:
		d.PrivacyMissing, d.Privacy = true, catalog.PrivacyPublic
	case privacy.Elsewhere.Line > 0:
		d.Missing, d.privacy = append(d.Missing, "privacy"), misplaced(privacy.Elsewhere)
		lacks = append(lacks, d.privacy)
	default:
		lack("privacy", 0, "This field is missing.")
		d.privacy = lacks[len(lacks)-1]
	}
	d.License = catalog.ParseLicense(firstText(written.License))
	d.DOI = catalog.ParseDOI(firstText(written.DOI))
	if version := firstText(written.Version); catalog.CheckName(version) == "" {
		d.Version = version
	}
	d.Language = catalog.ParseLanguage(firstText(written.Language))
	if text := firstText(written.Language); text != "" && d.Language == "" {
		c.item(written.Language.Texts[0], "language", fault.Quote(text)+" isn't a language tag", "Write one such as en, de or pt-BR.")
	}
	c.faults = append(c.faults, written.Language.Faults...)
	d.Funding, d.RelatedIdentifiers, d.Needs = c.funding(written.Funding), c.related(written.Related), c.needs(written)
	if len(c.faults) > 0 {
		c.faults = append(c.faults, lacks...)
		return Descriptor{}, c.bounded()
	}
	var r catalog.Entry
	d.applyTo(&r)
	r.Normalize()
	d.Name, d.Authors, d.Tags = r.Name, r.Authors, make([]string, len(r.Tags))
	for i, tag := range r.Tags {
		d.Tags[i] = tag.Value
	}
	d.People, d.License, d.Funding, d.RelatedIdentifiers = r.People, r.License, r.Funding, r.RelatedIdentifiers
	slices.Sort(d.Missing)
	slices.Reverse(d.Missing) // the privacy comes first
	return d, nil
}

// hasNearMiss reports whether a field is absent and another one is probably meant for it.
func hasNearMiss(field codehost.DescriptorField) bool { return field.Line == 0 && field.Near.Line > 0 }

func firstText(field codehost.DescriptorField) string {
	if len(field.Texts) == 0 {
		return ""
	}
	return field.Texts[0].Value
}

type descriptorCheck struct{ faults []fault.Field }

func (c *descriptorCheck) add(line int, field, format string, arguments ...any) {
	if line > 0 {
		field = codehost.DescriptorPlace(line, field)
	}
	c.faults = append(c.faults, fault.Field{Location: field, Message: fmt.Sprintf(format, arguments...)})
}

// require reports whether a required field has something to check, and records a fault if not.
func (c *descriptorCheck) require(name string, field codehost.DescriptorField) bool {
	example := descriptorExamples[name]
	switch {
	case len(field.Faults) > 0:
		c.faults = append(c.faults, field.Faults...)
	case field.Line == 0 && field.Near.Line > 0:
		c.add(field.Near.Line, name, "This field is missing, but there is %s here. Call it %s, as in: %s", fault.Quote(field.Near.Value), name, example)
	case field.Line == 0:
		c.add(0, name, "This field is missing. Add to project: %s", example)
	case len(field.Texts) == 0:
		c.add(field.Line, name, "This field is empty. Write: %s", example)
	default:
		return true
	}
	return false
}

// misplaced is the fault of a privacy that isn't below project.
func misplaced(found codehost.Misplaced) fault.Field {
	heading := "at the top level"
	if found.Heading != "" {
		heading = "below " + fault.Quote(found.Heading)
	}
	return fault.Field{
		Location: codehost.DescriptorPlace(found.Line, "privacy"),
		Message:  "The privacy is " + heading + ", where it isn't read. Move it below project.",
	}
}

// authors returns the addresses among the authors, and everybody.
func (c *descriptorCheck) authors(field codehost.DescriptorField) (emails []string, people []catalog.Credit) {
	people = []catalog.Credit{}
	c.rule(field, "authors", "The authors %s. Keep those responsible for the work.", checkCount(len(field.Texts)))
	for _, author := range field.Texts {
		person := personOf(author)
		if given := author.Group["orcid"]; given != "" && person.ORCID == "" {
			c.item(author, "authors", fault.Quote(given)+" isn't an ORCID iD", "One looks like 0000-0002-1825-0097.")
			continue
		}
		if problem := catalog.CheckPerson(person); problem != "" {
			if person.Role != "" || person.Affiliation != nil {
				c.item(author, "authors", problem, "Correct it, or leave it out.")
				continue
			}
			if person.Name == "" || catalog.CheckName(person.Name) == "" {
				problem = fault.Quote(author.Value) + " isn't an e-mail address"
			}
			c.item(author, "authors", problem, authorHint(author.Value))
			continue
		}
		if placeholder(person.Name) {
			c.item(author, "authors", fault.Quote(person.Name)+" is template text", "Write the name of the author.")
			continue
		}
		people = append(people, person)
		if person.Email != "" {
			emails = append(emails, person.Email)
		}
	}
	return emails, people
}

func checkCount(authors int) string {
	if authors == 0 {
		return ""
	}
	return catalog.CheckAuthors(authors)
}

var mailboxPattern = regexp.MustCompile(`^([^<>()@]*[^<>()@\s])\s*[<(]([^<>()\s]+@[^<>()\s]+)[>)]$`)

// personOf returns an author who is written as an address, a name, a name and an address in brackets, or a group.
func personOf(author codehost.DescriptorText) catalog.Credit {
	if group := author.Group; group != nil {
		person := catalog.Credit{
			Name: humanize.OneLine(group["name"]), Email: identity.NormalizeEmail(group["email"]), ORCID: catalog.ParseORCID(group["orcid"]),
			Role: catalog.Role(group["role"]),
		}
		if group["affiliation"] != "" || group["ror"] != "" {
			person.Affiliation = &catalog.Organization{Name: humanize.OneLine(group["affiliation"]), ROR: group["ror"]}
		}
		entry := catalog.Entry{People: []catalog.Credit{person}}
		entry.Normalize()
		return entry.People[0]
	}
	if mailbox := mailboxPattern.FindStringSubmatch(author.Value); mailbox != nil {
		return catalog.Credit{Name: humanize.OneLine(mailbox[1]), Email: identity.NormalizeEmail(mailbox[2])}
	}
	if strings.Contains(author.Value, "@") {
		return catalog.Credit{Email: identity.NormalizeEmail(author.Value)}
	}
	return catalog.Credit{Name: author.Value}
}

// placeholderPattern matches what templates of descriptors say where people write their own text.
var placeholderPattern = regexp.MustCompile(`(?i)^\W*(?:` +
	`(?:add|insert|enter|write|put|type)\s+(?:your|a|the|an)\b.{0,60}\b(?:here|title|name|description)` +
	`|describe\s+your\b.{0,40}` +
	`|your\s+(?:(?:project|repository)(?:'?s)?\s+|full\s+)?(?:name|title|description)(?:\s+here)?` +
	`|(?:project|repository)\s+(?:name|title|description)(?:\s+here)?|(?:name|title|description)\s+(?:goes\s+)?here` +
	`|(?:the\s+)?name\s+of\s+your\s+work|what\s+it\s+does,?\s+(?:and\s+)?for\s+whom.{0,20}` +
	`|todo|tbd|fixme|lorem\s+ipsum.*)\W*$`)

func placeholder(text string) bool { return placeholderPattern.MatchString(text) }

// text checks a required field with one text by a rule.
func (c *descriptorCheck) text(name string, field codehost.DescriptorField, check func(string) string, remedy string) string {
	if !c.require(name, field) {
		return ""
	}
	text := field.Texts[0]
	problem := check(text.Value)
	if problem != "" && !strings.HasPrefix(problem, `"`) { // some rules name the value themselves
		problem = fault.Quote(text.Value) + " " + problem
	}
	if problem == "" && name != "privacy" && placeholder(text.Value) {
		problem, remedy = fault.Quote(text.Value)+" is template text", "Write your own."
	}
	c.item(codehost.DescriptorText{Value: text.Value, Line: field.Line}, name, problem, remedy)
	return text.Value
}

func (c *descriptorCheck) rule(field codehost.DescriptorField, name, sentence, problem string) {
	if problem != "" && len(field.Texts) > 0 {
		c.add(field.Line, name, sentence, problem)
	}
}

func (c *descriptorCheck) item(text codehost.DescriptorText, name, problem, remedy string) {
	if problem != "" {
		c.add(text.Line, name, "%s. %s", problem, remedy)
	}
}

// bounded returns the first faults and the number of the others.
func (c *descriptorCheck) bounded() []fault.Field {
	if more := len(c.faults) - faultsOfDescriptor; more > 0 {
		c.faults = c.faults[:faultsOfDescriptor]
		c.add(0, "and more", "%d more errors aren't shown.", more)
	}
	return c.faults
}

var emailInside = regexp.MustCompile(`[^\s<>()\[\],;:"]+@[^\s<>()\[\],;:"]+`)

// authorHint says what to write instead of something that isn't an e-mail address.
func authorHint(written string) string {
	if email := emailInside.FindString(written); identity.ValidEmail(identity.NormalizeEmail(email)) {
		return "Write the address alone: " + email
	}
	return "Write the e-mail address this person signs in with, such as you@example.org."
}

// lineForAuthor returns the line that makes somebody an author of a descriptor, and where it goes.
func (d Descriptor) lineForAuthor(email string) (place, line string) {
	if d.authors.Flow {
		items := make([]string, len(d.authors.Texts))
		for i, author := range d.authors.Texts {
			items[i] = flowAuthor(author)
		}
		return fmt.Sprintf("in place of the authors on line %d", d.authors.Line), fmt.Sprintf("  authors: [%s, %q]", strings.Join(items, ", "), email)
	}
	last := d.authors.Texts[len(d.authors.Texts)-1]
	return fmt.Sprintf("below line %d", last.Line), fmt.Sprintf("%s- %q", strings.Repeat(" ", d.authors.Indent), email)
}

// flowAuthor writes an author inside a list in brackets.
func flowAuthor(author codehost.DescriptorText) string {
	if author.Group == nil {
		if identity.ValidEmail(author.Value) {
			return author.Value
		}
		return strconv.Quote(author.Value)
	}
	var fields []string
	for _, name := range []string{"name", "email", "orcid", "affiliation", "ror", "role"} {
		if value := author.Group[name]; value != "" {
			fields = append(fields, name+": "+strconv.Quote(value))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}
