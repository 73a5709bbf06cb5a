package fair

import (
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
)

func TestEveryCheckSaysWhatIsMissing(t *testing.T) {
	seen := map[string]string{}
	for _, one := range checks {
		for _, record := range []Record{{Type: catalog.Repository}, {Type: catalog.Dataset, Description: "Described"}} {
			missing := one.fixOf(record).Missing
			if missing == "" || missing == one.name {
				t.Errorf("%s is headed %q", one.id, missing)
			}
			if other := seen[missing]; other != "" && other != one.id {
				t.Errorf("%s and %s are both headed %q", other, one.id, missing)
			}
			seen[missing] = one.id
		}
	}
	for missing, id := range map[string]string{
		"No registered identifier (DOI)": "FsF-F1-02MD-1", "No description": "FsF-F2-01M-2", "No tags": "FsF-F2-01M-2", "No version": "version",
	} {
		if seen[missing] != id {
			t.Errorf("%q heads %q", missing, seen[missing])
		}
	}
}

func TestFixesOfRepositoriesAreLinesThatDescriptorsHave(t *testing.T) {
	seen := map[string]bool{}
	for _, one := range checks {
		for _, description := range []string{"", "Described"} {
			record := Record{Type: catalog.Repository, Description: description}
			fix := one.fixOf(record)
			if (fix.Field == "") != (fix.Line == "") {
				t.Errorf("%s: %+v", one.id, fix)
			}
			if fix.Line != "" {
				seen[fix.Field] = true
			}
			record.Type = catalog.Dataset
			if other := one.fixOf(record); other.Line != "" {
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
