package fair

import (
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
)

func TestFixesOfRepositoriesAreLinesThatDescriptorsHave(t *testing.T) {
	seen := map[string]bool{}
	for _, one := range checks {
		for _, description := range []string{"", "Described"} {
			record := Record{Type: catalog.Repository, Description: description}
			fix := one.fix(record)
			if (fix.Field == "") != (fix.Line == "") {
				t.Errorf("%s: %+v", one.id, fix)
			}
			if fix.Line != "" {
				seen[fix.Field] = true
			}
			record.Type = catalog.Dataset
			if other := one.fix(record); other.Line != "" {
				t.Errorf("%s of a dataset: %+v", one.id, other)
			}
		}
	}
	for field, line := range descriptorLines {
		read, faults := codehost.ParseDescriptor([]byte("project:\n  " + line + "\n"))
		found := map[string]codehost.DescriptorField{
			"description": read.Description, "doi": read.DOI, "license": read.License, "orcid": read.Authors, "people": read.Authors,
			"tags": read.Tags, "version": read.Version,
		}[field]
		if !seen[field] || len(faults) > 0 || found.Line != 2 {
			t.Errorf("%s: %v, %+v %v", line, seen[field], found, faults)
		}
	}
}
