package contribute

import (
	"fmt"
	"regexp"
	"strings"

	"cairn/internal/catalog"
	"cairn/internal/codehost"
	"cairn/internal/fault"
	"cairn/internal/identity"
)

// Descriptor is the checked content of a repository's descriptor, ready for an entry.
type Descriptor struct {
	RepositoryURL  string          `json:"repositoryUrl" doc:"As an entry has it"`
	File           string          `json:"file" example:"cairn.yml"`
	Branch         string          `json:"branch"`
	Name           string          `json:"name"`
	Description    string          `json:"description" doc:"Markdown"`
	Authors        []string        `json:"authors" doc:"E-mail addresses in lower case"`
	Tags           []string        `json:"tags" doc:"By value"`
	Privacy        catalog.Privacy `json:"privacy" enum:"PUBLIC,PRIVATE"`
	PrivacyMissing bool            `json:"privacyMissing" doc:"The file does not name it, so it is PUBLIC; at a sync only"`

	authors codehost.DescriptorField
}

// into writes the descriptor into an entry.
func (d Descriptor) into(r *catalog.Resource) {
	r.Name, r.Description, r.Authors, r.Privacy = d.Name, d.Description, d.Authors, d.Privacy
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
// to fix it. For a sync a missing privacy is PUBLIC; otherwise it is a fault.
func readDescriptor(content []byte, sync bool) (Descriptor, []fault.Field) {
	written, faults := codehost.ParseDescriptor(content)
	if len(faults) > 0 {
		return Descriptor{}, faults
	}
	c := &descriptorCheck{}
	d := Descriptor{
		Name:        c.text("name", written.Name, catalog.CheckName, "Give it a short name on one line; the description can say more."),
		Description: c.text("description", written.Description, catalog.CheckDescription, "Keep it short and plain; the README can say more."),
		authors:     written.Authors,
	}
	if c.present("authors", written.Authors) {
		c.rule(written.Authors, "authors", "The authors %s. Keep those who answer for the work.", catalog.CheckAuthors(len(written.Authors.Texts)))
		for _, author := range written.Authors.Texts {
			email := identity.NormalizeEmail(author.Value)
			c.item(author, "authors", catalog.CheckAuthor(email, author.Value), authorHint(author.Value))
			d.Authors = append(d.Authors, email)
		}
	}
	c.faults = append(c.faults, written.Tags.Faults...)
	c.rule(written.Tags, "tags", "The tags %s. Keep those that people search for.", catalog.CheckTags(len(written.Tags.Texts)))
	for _, tag := range written.Tags.Texts {
		c.item(tag, "tags", catalog.CheckTag(tag.Value), "Shorten it, or make several tags of it.")
		d.Tags = append(d.Tags, tag.Value)
	}
	if d.PrivacyMissing = sync && len(written.Privacy.Faults)+len(written.Privacy.Texts) == 0; d.PrivacyMissing {
		d.Privacy = catalog.PrivacyPublic
	} else {
		d.Privacy = catalog.Privacy(c.text("privacy", written.Privacy, func(text string) string { return catalog.CheckPrivacy(catalog.Privacy(text)) },
			"Write PUBLIC if everybody may see the entry, PRIVATE if its authors alone may."))
	}
	if len(c.faults) > 0 {
		return Descriptor{}, c.bounded()
	}
	var r catalog.Resource
	d.into(&r)
	r.Normalize()
	d.Name, d.Authors, d.Tags = r.Name, r.Authors, make([]string, len(r.Tags))
	for i, tag := range r.Tags {
		d.Tags[i] = tag.Value
	}
	return d, nil
}

type descriptorCheck struct{ faults []fault.Field }

func (c *descriptorCheck) add(line int, field, format string, arguments ...any) {
	if line > 0 {
		field = codehost.DescriptorPlace(line, field)
	}
	c.faults = append(c.faults, fault.Field{Location: field, Message: fmt.Sprintf(format, arguments...)})
}

// present reports whether a required field has something to check, and records a fault if not.
func (c *descriptorCheck) present(name string, field codehost.DescriptorField) bool {
	example := descriptorExamples[name]
	switch {
	case len(field.Faults) > 0:
		c.faults = append(c.faults, field.Faults...)
	case field.Line == 0 && field.Near.Line > 0:
		c.add(field.Near.Line, name, "This field is missing, but %s stands here. Call it %s, as in: %s", fault.Quote(field.Near.Value), name, example)
	case field.Line == 0:
		c.add(0, name, "This field is missing. Add to project: %s", example)
	case len(field.Texts) == 0:
		c.add(field.Line, name, "This field is empty. Write: %s", example)
	default:
		return true
	}
	return false
}

// text checks a required field with one text by a rule.
func (c *descriptorCheck) text(name string, field codehost.DescriptorField, check func(string) string, remedy string) string {
	if !c.present(name, field) {
		return ""
	}
	text := field.Texts[0]
	problem := check(text.Value)
	if problem != "" && !strings.HasPrefix(problem, `"`) { // some rules name the value themselves
		problem = fault.Quote(text.Value) + " " + problem
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
		c.add(0, "and more", "%d more faults are not shown.", more)
	}
	return c.faults
}

var emailInside = regexp.MustCompile(`[^\s<>()\[\],;:"]+@[^\s<>()\[\],;:"]+`)

// authorHint says what to write instead of something that isn't an e-mail address.
func authorHint(written string) string {
	if email := emailInside.FindString(written); identity.ValidEmail(identity.NormalizeEmail(email)) {
		return "Write the address alone: " + email
	}
	return "Write the e-mail address with which this person signs in, such as you@example.org."
}

// lineForAuthor returns the line that makes somebody an author of a descriptor, and where it goes.
func (d Descriptor) lineForAuthor(email string) (place, line string) {
	if d.authors.Flow {
		return fmt.Sprintf("in place of the authors in line %d", d.authors.Line), fmt.Sprintf("  authors: [%s, %q]", strings.Join(d.Authors, ", "), email)
	}
	last := d.authors.Texts[len(d.authors.Texts)-1]
	return fmt.Sprintf("below line %d", last.Line), fmt.Sprintf("%s- %q", strings.Repeat(" ", d.authors.Indent), email)
}
