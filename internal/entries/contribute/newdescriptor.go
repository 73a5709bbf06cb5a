package contribute

import (
	"context"
	"fmt"
	"regexp"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/metadata"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/people/identity"
)

// newDescriptor returns a descriptor for a repository that has none, from what is in it; nil if it can't be read.
func (s *Service) newDescriptor(ctx context.Context, from source, caller identity.Caller) *fault.FileDraft {
	about, err := s.about(ctx, from.repository)
	if err != nil {
		return nil
	}
	read := func(path string) []byte {
		file, err := s.Hosts.File(ctx, from.repository, path, codehost.DescriptorLimit)
		if err != nil {
			return nil
		}
		from.branch = file.Branch
		return file.Content
	}
	from.branch = about.Branch
	found := s.finder.Find(ctx, metadata.Work{Repository: from.repository})
	heading, paragraph := beginning(string(read("README.md")))
	if heading == "" && paragraph == "" {
		heading, paragraph = beginningOfRST(string(read("README.rst")))
	}
	name := firstValid(catalog.CheckName, found.Name, heading, from.repository.Name)
	description := firstValid(catalog.CheckDescription, humanize.OneLine(found.Description), paragraph, "Add your description here")
	lines := []string{
		"project:",
		fmt.Sprintf("  name: %q", name),
		fmt.Sprintf("  description: %q", description),
		"  authors:",
	}
	known := false
	for _, person := range found.People[:min(len(found.People), catalog.AuthorsLimit-1)] {
		known = known || person.Email == caller.Email
		lines = append(lines, "    - "+flowAuthor(codehost.DescriptorText{Group: groupOfPerson(person)}))
	}
	if !known {
		lines = append(lines, fmt.Sprintf("    - %q", caller.Email))
	}
	tags := found.Tags
	if len(tags) > 0 {
		lines = append(lines, "  tags:")
	}
	for _, tag := range tags {
		lines = append(lines, fmt.Sprintf("    - %q", tag))
	}
	for _, one := range []struct{ field, value string }{
		{"license", found.License}, {"version", found.Version}, {"doi", found.DOI}, {"language", found.Language},
	} {
		if one.value != "" {
			lines = append(lines, fmt.Sprintf("  %s: %q", one.field, one.value))
		}
	}
	lines = append(lines, "  privacy: PUBLIC")
	from = from.at(s.Hosts, true)
	draft := &fault.FileDraft{File: from.file, Branch: from.branch, Host: from.host, Address: from.page, New: true, Lines: []fault.FileDraftLine{}}
	for _, line := range lines {
		draft.Lines = append(draft.Lines, fault.FileDraftLine{Text: line, Mark: markAdded})
	}
	checkDraft(draft)
	return draft
}

// groupOfPerson returns an author as a descriptor writes them.
func groupOfPerson(p catalog.Credit) map[string]string {
	group := map[string]string{"name": p.Name, "email": p.Email, "orcid": p.ORCID, "role": string(p.Role)}
	if p.Affiliation != nil {
		group["affiliation"], group["ror"] = p.Affiliation.Name, p.Affiliation.ROR
	}
	return group
}

func firstValid(check func(string) string, texts ...string) string {
	for _, text := range texts {
		if text != "" && check(text) == "" {
			return text
		}
	}
	return texts[len(texts)-1]
}

// markupPattern matches the HTML in a README.
var markupPattern = regexp.MustCompile(`(?s)<!--.*?-->|</?[a-zA-Z][^>]*>`)
