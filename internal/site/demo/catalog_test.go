package demo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// line is one line of the import format, resources and projects together.
type line struct {
	Kind, ExternalID, Type, Name, Description string
	Authors, Tags                             []string
	People                                    []credit
	Privacy                                   string
	HeaderImage                               *string
	RepositoryURL, DatasetURL, NotebookPath   string
	ApplicationInterfaceID, Version, License  string
	OwnerID, Repository                       string
	Datasets                                  []string
	Published                                 bool
	Content                                   string
}

type credit struct{ Name, ORCID, Email string }

func noText([]byte) string { return "" }

func readCatalog(t *testing.T, publicURL string) []line {
	t.Helper()
	var lines []line
	scanner := bufio.NewScanner(bytes.NewReader(Catalog(publicURL, noText)))
	for scanner.Scan() {
		var one line
		decoder := json.NewDecoder(bytes.NewReader(scanner.Bytes()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&one); err != nil {
			t.Fatalf("line %d: %v", len(lines)+1, err)
		}
		lines = append(lines, one)
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestCatalogHoldsWhatTheDemoPromises(t *testing.T) {
	counts := map[string]int{}
	for _, one := range readCatalog(t, "http://127.0.0.1:8080") {
		counts[one.Kind+one.Type]++
	}
	want := map[string]int{
		"resourceREPOSITORY": 16, "resourceDATASET": 11, "resourceNOTEBOOK": 7, "resourceMODEL": 6, "project": 10,
	}
	for kind, number := range want {
		if counts[kind] != number {
			t.Errorf("%s: %d lines, want %d", kind, counts[kind], number)
		}
	}
}

func TestCatalogResourcesAreWhole(t *testing.T) {
	notebooks := NotebookFS()
	for _, one := range readCatalog(t, "http://127.0.0.1:8080/") {
		if one.Kind != "resource" {
			continue
		}
		if one.Privacy != "PUBLIC" || one.HeaderImage == nil || *one.HeaderImage != "" {
			t.Errorf("%s: privacy %q, header image %v", one.ExternalID, one.Privacy, one.HeaderImage)
		}
		if one.Name == "" || len(one.Description) < 100 || len(one.Description) > 20000 || len(one.Tags) == 0 || len(one.Authors) == 0 || len(one.People) == 0 || one.People[0].Name == "" {
			t.Errorf("%s: name, description, tags or authors are poor", one.ExternalID)
		}
		if paragraphs := strings.Count(strings.TrimSpace(one.Description), "\n\n") + 1; paragraphs < 2 || paragraphs > 3 {
			t.Errorf("%s: the description has %d paragraphs", one.ExternalID, paragraphs)
		}
		for _, author := range one.Authors {
			if !strings.HasSuffix(author, "@example.org") {
				t.Errorf("%s: author %s is no role address", one.ExternalID, author)
			}
		}
		switch one.Type {
		case "REPOSITORY":
			github := strings.HasPrefix(one.RepositoryURL, "https://github.com/")
			if _, own := RepositoryPath("/data", "http://127.0.0.1:8080", one.RepositoryURL); own == github {
				t.Errorf("%s: repository address %q", one.ExternalID, one.RepositoryURL)
			}
			if _, err := url.Parse(one.RepositoryURL); err != nil {
				t.Error(err)
			}
		case "DATASET":
			if _, own := DatasetPath("/data", one.DatasetURL); !own {
				t.Errorf("%s: dataset address %q", one.ExternalID, one.DatasetURL)
			}
		case "NOTEBOOK":
			name, bundled := strings.CutPrefix(one.NotebookPath, "bundled:")
			if _, err := fs.Stat(notebooks, name); !bundled || err != nil {
				t.Errorf("%s: notebook path %q: %v", one.ExternalID, one.NotebookPath, err)
			}
		case "MODEL":
			if one.ApplicationInterfaceID == "" || one.Version == "" {
				t.Errorf("%s: no application interface or version", one.ExternalID)
			}
		default:
			t.Errorf("%s: type %q", one.ExternalID, one.Type)
		}
	}
}

// The science extensions of the landing page lead to these tags.
func TestExtensionsHoldAllThatBelongsToThem(t *testing.T) {
	for tag, words := range map[string]*regexp.Regexp{
		"molecular-dynamics": regexp.MustCompile(`(?i)molecular.dynamics|\bMD\b`),
		"neuroscience":       regexp.MustCompile(`(?i)neuro|\bbrain|cortex|cortical`),
	} {
		found := 0
		for _, one := range readCatalog(t, "http://127.0.0.1:8080") {
			if one.Kind != "resource" {
				continue
			}
			has := slices.Contains(one.Tags, tag)
			others := slices.DeleteFunc(slices.Clone(one.Tags), func(each string) bool { return each == tag })
			if belongs := words.MatchString(one.Name + " " + one.Description + " " + strings.Join(others, " ")); belongs && !has {
				t.Errorf("%s is about %s and lacks the tag", one.Name, tag)
			}
			if has {
				found++
			}
		}
		if found < 5 {
			t.Errorf("%d entries have the tag %s", found, tag)
		}
	}
}

func TestCatalogReferencesAndOwners(t *testing.T) {
	resources := map[string]line{}
	owned := map[string]int{}
	for _, one := range readCatalog(t, "http://127.0.0.1:8080") {
		if !strings.HasPrefix(one.ExternalID, "demo-") {
			t.Errorf("external id %q", one.ExternalID)
		}
		if _, twice := resources[one.ExternalID]; twice {
			t.Errorf("external id %s stands twice", one.ExternalID)
		}
		resources[one.ExternalID] = one
		if one.Kind != "project" {
			continue
		}
		owned[one.OwnerID]++
		repository := resources[one.Repository]
		if repository.Type != "REPOSITORY" || !slices.Contains(repository.Authors, one.OwnerID) {
			t.Errorf("%s: repository %q of type %q by %v, owner %s", one.ExternalID, one.Repository, repository.Type,
				repository.Authors, one.OwnerID)
		}
		for _, dataset := range one.Datasets {
			if resources[dataset].Type != "DATASET" {
				t.Errorf("%s: dataset %q has the type %q", one.ExternalID, dataset, resources[dataset].Type)
			}
		}
		if !one.Published || len(one.Datasets) == 0 {
			t.Errorf("%s: published %v with %d datasets", one.ExternalID, one.Published, len(one.Datasets))
		}
	}
	authored := map[string][]string{}
	for id, one := range resources {
		for _, author := range one.Authors {
			authored[author] = append(authored[author], id)
		}
	}
	slices.Sort(authored["researcher@example.org"])
	want := []string{"demo-dataset-argon-energy", "demo-dataset-membrane-recording", "demo-repository-first-steps"}
	if got := authored["researcher@example.org"]; !slices.Equal(got, want) {
		t.Errorf("the researcher is an author of %v", got)
	}
	if owned["researcher@example.org"] != 1 || resources["demo-project-first-steps"].OwnerID != "researcher@example.org" {
		t.Errorf("the researcher owns %d projects", owned["researcher@example.org"])
	}
	for _, account := range Accounts() {
		if account.Email != "researcher@example.org" && (owned[account.Email] > 0 || len(authored[account.Email]) > 0) {
			t.Errorf("%s owns %d projects and is an author of %v", account.Email, owned[account.Email], authored[account.Email])
		}
	}
}

func TestDescriptorAgreesWithTheCatalog(t *testing.T) {
	data, err := content.ReadFile("first-steps/cairn.yml")
	if err != nil {
		t.Fatal(err)
	}
	var descriptor struct {
		Project struct {
			Name, Description, Privacy string
			Authors                    []credit
			Tags                       []string
		}
	}
	if err := yaml.Unmarshal(data, &descriptor); err != nil {
		t.Fatal(err)
	}
	for _, one := range readCatalog(t, "http://127.0.0.1:8080") {
		if one.ExternalID != "demo-repository-first-steps" {
			continue
		}
		got := descriptor.Project
		if got.Name != one.Name || got.Description != one.Description || got.Privacy != one.Privacy ||
			!slices.Equal(got.Authors, one.People) || !slices.Equal(got.Tags, one.Tags) {
			t.Errorf("the descriptor says\n%+v\nthe catalog\n%+v", got, one)
		}
		return
	}
	t.Error("the bundled repository is not in the catalog")
}

func TestCatalogTakesThePublicAddress(t *testing.T) {
	for _, publicURL := range []string{"https://cairn.example.org", "https://cairn.example.org/"} {
		lines := Catalog(publicURL, noText)
		if bytes.Contains(lines, []byte("{public_url}")) ||
			!bytes.Contains(lines, []byte(`"https://cairn.example.org/demo/git/first-steps.git"`)) {
			t.Errorf("%s: the repository's address is missing or wrong", publicURL)
		}
	}
}

func TestAddressesOfOthersAreNotMapped(t *testing.T) {
	for _, address := range []string{
		"", "https://github.com/a/first-steps.git", "http://127.0.0.1:8080/demo/git/other.git",
		"http://127.0.0.1:8080/demo/git/../first-steps.git", "http://127.0.0.1:8080/demo/git/first-steps.git/",
		"http://127.0.0.1:80801/demo/git/first-steps.git", "http://127.0.0.1:8080@evil.example/demo/git/first-steps.git",
	} {
		if path, ok := RepositoryPath("/data", "http://127.0.0.1:8080", address); ok {
			t.Errorf("%q became %s", address, path)
		}
	}
	for _, address := range []string{
		"", "argon-energy", "bundled:", "bundled:.", "bundled:..", "bundled:../git", "bundled:argon-energy/README.md",
		"bundled:/etc", "Bundled:argon-energy",
	} {
		if path, ok := DatasetPath("/data", address); ok {
			t.Errorf("%q became %s", address, path)
		}
	}
}
