package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

var known = []component{
	{"Cairn", "", "product", "Apache-2.0"},
	{"Go standard library", "", "go", "BSD-3-Clause"},
	{"example.org/used", "v1.2.3", "go", "MIT AND OFL-1.1"},
	{"example.org/on-another-platform", "v1.0.0", "go", "MIT"},
	{"@scope/react", "19.2.9", "npm", "MIT"},
}

func build(modules ...*debug.Module) *buildinfo.BuildInfo {
	return &buildinfo.BuildInfo{GoVersion: "go1.26.8", Deps: modules}
}

func TestABillHasWhatIsLinkedAndThePage(t *testing.T) {
	bill, err := billOf(build(&debug.Module{Path: "example.org/used", Version: "v1.2.3"}), known, "v1")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, one := range *bill.Components {
		found = append(found, one.PackageURL+" "+(*one.Licenses)[0].Expression)
	}
	want := []string{"pkg:golang/example.org/used@v1.2.3 MIT AND OFL-1.1", "pkg:golang/std@1.26.8 BSD-3-Clause", "pkg:npm/%40scope/react@19.2.9 MIT"}
	if !slices.Equal(found, want) {
		t.Errorf("%q, want %q", found, want)
	}
	if product := bill.Metadata.Component; product.Version != "v1" || (*product.Licenses)[0].Expression != "Apache-2.0" {
		t.Errorf("%+v", product)
	}
}

func TestABillThatWouldLackSomethingIsRefused(t *testing.T) {
	for says, modules := range map[string][]*debug.Module{
		"no license is known of example.org/new v1.0.0": {{Path: "example.org/new", Version: "v1.0.0"}},
		"no license is known of example.org/used v2":    {{Path: "example.org/used", Version: "v2"}},
		"example.org/used is replaced":                  {{Path: "example.org/used", Version: "v1.2.3", Replace: &debug.Module{Path: "./fork"}}},
	} {
		if _, err := billOf(build(modules...), known, "v1"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// The bill of this very test's binary is written twice, the same both times.
func TestEqualInputGivesEqualBytes(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	list := `{"components": [{"name": "Cairn", "kind": "product", "license": "Apache-2.0"}, {"name": "Go standard library", "kind": "go", "license": "BSD-3-Clause"}`
	for _, one := range info.Deps {
		list += `, {"name": "` + one.Path + `", "version": "` + one.Version + `", "kind": "go", "license": "MIT"}`
	}
	licenses := filepath.Join(t.TempDir(), "licenses.json")
	if err := os.WriteFile(licenses, []byte(list+"]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := run([]string{binary, "v1", licenses}, "1700000000", out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two bills of the same binary differ")
	}
	var bill cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(&first, cyclonedx.BOMFileFormatJSON).Decode(&bill); err != nil {
		t.Fatal(err)
	}
	if len(*bill.Components) != len(info.Deps)+1 || bill.Metadata.Timestamp != "2023-11-14T22:13:20Z" || len((*bill.Metadata.Component.Hashes)[0].Value) != 64 {
		t.Errorf("%d components of %d, %+v", len(*bill.Components), len(info.Deps)+1, bill.Metadata)
	}
	if err := run([]string{binary, "v1", licenses}, "", &second); err == nil || !strings.Contains(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Errorf("without a time: %v", err)
	}
}

// The bill of Cairn has every module that is linked in, and every package of the page, each with a license.
func TestTheBillOfCairn(t *testing.T) {
	const binary, licenses = "../../bin/cairn", "../../internal/foundation/licenses/licenses.json"
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatalf("%v; make it with: make build", err)
	}
	var out bytes.Buffer
	if err := run([]string{binary, "v1", licenses}, "1700000000", &out); err != nil {
		t.Fatal(err)
	}
	var bill cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(&out, cyclonedx.BOMFileFormatJSON).Decode(&bill); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, one := range *bill.Components {
		kind, _, _ := strings.Cut(strings.TrimPrefix(one.PackageURL, "pkg:"), "/")
		kinds[kind]++
		if one.Licenses == nil || (*one.Licenses)[0].Expression == "" {
			t.Errorf("%s has no license", one.PackageURL)
		}
	}
	if kinds["golang"] != len(info.Deps)+1 || len(info.Deps) < 30 {
		t.Errorf("%d modules, and %d are linked in", kinds["golang"], len(info.Deps))
	}
	for _, name := range []string{"react", "katex", "oidc-client-ts"} {
		if !slices.ContainsFunc(*bill.Components, func(one cyclonedx.Component) bool { return strings.HasPrefix(one.PackageURL, "pkg:npm/"+name+"@") }) {
			t.Errorf("%s isn't in the bill", name)
		}
	}
}
