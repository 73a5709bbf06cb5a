package contribute

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
)

// draftLimit is the size of the largest file that a refusal repeats, in bytes.
const draftLimit = 64 << 10

// The marks of lines.
const (
	markSame    = "same"
	markAdded   = "added"
	markRemoved = "removed"
	markWrong   = "wrong"
)

// source is where a descriptor was read, or would be.
type source struct {
	repository codehost.Repository
	address    string // of the entry
	file       string
	branch     string
	host       string // what people call it; "" for this server
	page       string // on which the file is edited or created there; "" for none
}

// at returns the source with the page of its file.
func (s source) at(hosts *codehost.Hosts, isNew bool) source {
	s.host, s.page = hosts.Name(s.repository), hosts.EditPage(s.repository, s.branch, s.file, isNew)
	return s
}

// changed is a file that is being corrected, by line, counted from 1.
type changed struct {
	lines  []string
	drop   map[int]bool
	wrong  map[int]bool
	after  map[int][]string // lines to add, below a line
	indent string           // of the fields of project
	start  int              // the line of project; 0: none
}

// draftOf returns a descriptor with the lines that correct its faults; nil for a file that can't be shown. email is the
// caller's.
func draftOf(from source, content []byte, faults []fault.Field, email string) *fault.FileDraft {
	text := strings.TrimPrefix(strings.ReplaceAll(string(content), "\r\n", "\n"), "\ufeff")
	if len(content) > draftLimit || !catalog.ValidText(text, true) {
		return nil
	}
	c := &changed{
		lines: strings.Split(strings.TrimRight(text, "\n"), "\n"),
		drop:  map[int]bool{}, wrong: map[int]bool{}, after: map[int][]string{}, indent: "  ",
	}
	c.findProject()
	for _, one := range faults {
		c.correct(one, from, email)
	}
	draft := c.draft()
	draft.File, draft.Branch, draft.Host, draft.Address = from.file, from.branch, from.host, from.page
	checkDraft(draft)
	return draft
}

// draft returns the lines of the file with their marks.
func (c *changed) draft() *fault.FileDraft {
	draft := &fault.FileDraft{Lines: []fault.FileDraftLine{}}
	add := func(mark string, lines ...string) {
		for _, line := range lines {
			draft.Lines = append(draft.Lines, fault.FileDraftLine{Text: line, Mark: mark})
		}
	}
	add(markAdded, c.after[0]...)
	for i, line := range c.lines {
		number := i + 1
		mark := markSame
		switch {
		case c.drop[number]:
			mark = markRemoved
		case c.wrong[number]:
			mark = markWrong
		}
		add(mark, line)
		add(markAdded, c.after[number]...)
	}
	return draft
}

var (
	projectLine   = regexp.MustCompile(`^project\s*:\s*(?:#.*)?$`)
	placePattern  = regexp.MustCompile(`^line (\d+)(?:: (\S+))?$`)
	fieldPattern  = regexp.MustCompile(`^(\s*)([^\s:#][^:#]*?)\s*:(?:\s+(.*?))?\s*$`)
	leadingTabs   = regexp.MustCompile(`^[ \t]*\t[ \t]*`)
	childPattern  = regexp.MustCompile(`^([ ]+)[^\s#-]`)
	emptyValues   = map[string]bool{"": true, `""`: true, "''": true, "null": true, "~": true, "[]": true}
	descriptorKey = map[string]bool{"name": true, "description": true, "authors": true, "tags": true, "privacy": true}
)

func (c *changed) findProject() {
	for i, line := range c.lines {
		if c.start == 0 && projectLine.MatchString(line) {
			c.start = i + 1
		} else if c.start > 0 {
			if child := childPattern.FindStringSubmatch(line); child != nil {
				c.indent = child[1]
				return
			}
		}
	}
}

// correct changes what is certain and marks the rest.
func (c *changed) correct(one fault.Field, from source, email string) {
	number, field := 0, one.Location
	if place := placePattern.FindStringSubmatch(one.Location); place != nil {
		number, _ = strconv.Atoi(place[1]) // digits
		field = place[2]
	}
	if number < 1 || number > len(c.lines) {
		if descriptorKey[field] && c.start > 0 {
			c.addField(suggestion(field, from, email))
		}
		return
	}
	line := c.lines[number-1]
	parts := fieldPattern.FindStringSubmatch(line)
	switch {
	case field == "" && slices.ContainsFunc(c.lines, leadingTabs.MatchString):
		c.untab()
	case field == "" && c.start == 0:
		c.addProject(number, from, email)
	case !descriptorKey[field] || parts == nil:
		c.wrong[number] = true
	case field == "privacy":
		c.correctPrivacy(number, parts[3])
	case parts[2] != field && field == "authors":
		c.replace(number, parts[1]+"authors: ["+strings.Trim(parts[3], "[]")+"]")
	case parts[2] != field:
		c.replace(number, parts[1]+field+": "+parts[3])
	case emptyValues[parts[3]] && !c.continues(number):
		c.replace(number, parts[1]+suggestion(field, from, email))
	default:
		c.wrong[number] = true
	}
}

// continues reports whether the value of a field is in the lines below it.
func (c *changed) continues(number int) bool {
	if number == len(c.lines) {
		return false
	}
	field, next := c.lines[number-1], c.lines[number]
	text := strings.TrimLeft(next, " ")
	return strings.HasPrefix(text, "-") || len(next)-len(text) > len(field)-len(strings.TrimLeft(field, " "))
}

func (c *changed) replace(number int, line string) {
	c.drop[number] = true
	c.after[number] = append(c.after[number], line)
}

func (c *changed) addField(line string) {
	c.after[c.start] = append(c.after[c.start], c.indent+line)
}

func (c *changed) correctPrivacy(number int, value string) {
	value = strings.ToUpper(strings.Trim(value, `"' `))
	if catalog.CheckPrivacy(catalog.Privacy(value)) != "" || c.start == 0 {
		c.wrong[number] = true
		return
	}
	c.drop[number] = true
	c.addField("privacy: " + value)
}

func (c *changed) untab() {
	for i, line := range c.lines {
		if tabs := leadingTabs.FindString(line); tabs != "" && !c.drop[i+1] {
			c.replace(i+1, strings.ReplaceAll(tabs, "\t", "  ")+strings.TrimPrefix(line, tabs))
		}
	}
}

// addProject puts the fields of a file without a project section below one, or a whole section above other content.
func (c *changed) addProject(number int, from source, email string) {
	if first := strings.TrimRight(c.lines[number-1], " "); strings.EqualFold(strings.ReplaceAll(first, " ", ""), "project:") {
		c.replace(number, "project:")
		return
	}
	known := false
	for _, line := range c.lines {
		parts := fieldPattern.FindStringSubmatch(line)
		known = known || (parts != nil && parts[1] == "" && descriptorKey[parts[2]])
	}
	c.after[0] = append(c.after[0], "project:")
	if !known {
		for _, field := range []string{"name", "description", "authors", "privacy"} {
			c.after[0] = append(c.after[0], "  "+suggestion(field, from, email))
		}
		return
	}
	for i, line := range c.lines {
		if strings.TrimSpace(line) != "" {
			c.replace(i+1, "  "+line)
		}
	}
}

// suggestion is a line for a field that is missing. Its words for people to replace are refused as those of templates.
func suggestion(field string, from source, email string) string {
	switch field {
	case "name":
		return fmt.Sprintf("name: %q", from.repository.Name)
	case "authors":
		return fmt.Sprintf("authors: [%q]", email)
	case "description":
		return `description: "Add your description here"`
	case "tags":
		return "tags: []"
	}
	return "privacy: PUBLIC"
}

// checkDraft sets Complete by reading the file as it would be.
func checkDraft(draft *fault.FileDraft) {
	var text strings.Builder
	for _, line := range draft.Lines {
		if line.Mark != markRemoved {
			text.WriteString(line.Text + "\n")
		}
	}
	d, faults := readDescriptor([]byte(text.String()), false)
	draft.Complete = len(faults)+len(d.Missing) == 0
}

// withAuthor returns a descriptor with the line that makes somebody an author.
func (d Descriptor) withAuthor(from source, email string) *fault.FileDraft {
	draft := draftOf(from, d.content, nil, email)
	if draft == nil || len(d.authors.Texts) == 0 {
		return draft
	}
	_, line := d.lineForAuthor(email)
	at := d.authors.Line
	if !d.authors.Flow {
		at = d.authors.Texts[len(d.authors.Texts)-1].Line
		for at < len(draft.Lines) && strings.HasPrefix(draft.Lines[at].Text, strings.Repeat(" ", d.authors.Indent+1)) {
			at++ // the other fields of the last author
		}
	} else if !strings.Contains(draft.Lines[at-1].Text, "]") { // over several lines
		draft.Lines[at-1].Mark = markWrong
		return draft
	} else {
		draft.Lines[at-1].Mark = markRemoved
	}
	draft.Lines = append(draft.Lines[:at:at], append([]fault.FileDraftLine{{Text: line, Mark: markAdded}}, draft.Lines[at:]...)...)
	checkDraft(draft)
	return draft
}
