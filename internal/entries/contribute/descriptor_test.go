package contribute

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"

	"go.yaml.in/yaml/v3"
)

// Next to each file in the folder is exactly what people read about it: its faults or its content. Names that end in
// .sync are read for an existing entry.
func TestDescriptorsThatPeopleWrite(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/descriptors/*.yml")
	if err != nil || len(files) < 40 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yml")
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := told(readDescriptor(content, strings.HasSuffix(name, ".sync")))
			want, err := os.ReadFile(strings.TrimSuffix(file, "yml") + "want")
			if err != nil || got != string(want) {
				t.Errorf("%v\n got:\n%swant:\n%s", err, got, want)
			}
		})
	}
}

type toldPerson struct {
	Name        string
	ORCID       string
	Email       string
	Affiliation *catalog.Organization `yaml:",omitempty"`
	Role        catalog.Role          `yaml:",omitempty"`
	ID          string                `yaml:",omitempty"`
}

// told returns what people read about a descriptor.
func told(d Descriptor, faults []fault.Field) string {
	var text strings.Builder
	for _, one := range faults {
		text.WriteString(one.Location + ": " + one.Message + "\n")
	}
	if len(faults) == 0 {
		read := yaml.NewEncoder(&text)
		read.SetIndent(2)
		content := map[string]any{
			"name": d.Name, "description": d.Description, "authors": d.Authors, "tags": d.Tags, "privacy": d.Privacy, "privacyMissing": d.PrivacyMissing,
		}
		var people []toldPerson
		named := false
		for _, person := range d.People {
			people = append(people, toldPerson(person))
			named = named || person.Name != ""
		}
		if named {
			content["people"] = people
		}
		if d.Funding != nil {
			content["funding"] = d.Funding
		}
		if d.Needs != nil {
			content["needs"] = *d.Needs
		}
		if d.RelatedIdentifiers != nil {
			content["related"] = d.RelatedIdentifiers
		}
		for name, value := range map[string]string{"language": d.Language, "license": d.License, "version": d.Version, "doi": d.DOI, "missing": strings.Join(d.Missing, " ")} {
			if value != "" {
				content[name] = value
			}
		}
		if err := read.Encode(content); err != nil {
			panic(err) // plain values
		}
	}
	return text.String()
}
