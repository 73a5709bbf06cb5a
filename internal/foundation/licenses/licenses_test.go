package licenses

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

func TestInventoryOfThisProgram(t *testing.T) {
	inventory, err := Load("v1.2")
	if err != nil {
		t.Fatal(err)
	}
	own := inventory.Components[0]
	if own.Kind != Product || own.Version != "v1.2" || own.License != "Apache-2.0" || len(own.Files) != 2 || own.Files[0].Name != "LICENSE" || own.Files[1].Name != "NOTICE" {
		t.Errorf("the first is %+v", own)
	}
	used := map[string]bool{}
	count := map[Kind]int{}
	for _, component := range inventory.Components {
		count[component.Kind]++
		if component.Version == "" || component.License == "" || len(component.Files) == 0 {
			t.Errorf("incomplete: %+v", component)
		}
		for _, file := range component.Files {
			used[file.Text] = true
			if len(inventory.Texts[file.Text]) < 20 {
				t.Errorf("%s: %s has no text", component.Name, file.Name)
			}
		}
		if component.Name == StandardLibrary && component.Version != strings.TrimPrefix(runtime.Version(), "go") {
			t.Errorf("%+v", component)
		}
	}
	if len(used) != len(inventory.Texts) {
		t.Errorf("%d texts, of which %d are used", len(inventory.Texts), len(used))
	}
	if count[Product] != 1 || count[Go] < 40 || count[NPM] < 20 {
		t.Errorf("by kind: %v", count)
	}
	sorted := &Inventory{Components: slices.Clone(inventory.Components)}
	slices.Reverse(sorted.Components)
	sorted.Sort()
	if !slices.EqualFunc(sorted.Components, inventory.Components, func(a, b Component) bool { return a.Name == b.Name && a.Version == b.Version }) {
		t.Error("it is not in its order")
	}
}

var example = &Inventory{
	Components: []Component{
		{Name: "Cairn", Version: "v1", Kind: Product, License: "Apache-2.0", Files: []LicenseFile{{"LICENSE", "own"}}},
		{Name: "example.org/Route", Version: "v2", Kind: Go, License: "MIT", Files: []LicenseFile{{"COPYING", "mit"}}},
		{Name: "route", Version: "3", Kind: NPM, License: "ISC", Files: []LicenseFile{{"LICENSE", "isc"}}},
		{Name: "router", Version: "3", Kind: NPM, License: "MIT", Files: []LicenseFile{{"LICENSE", "mit"}, {"NOTICE", "notice"}}},
	},
	Texts: map[string]string{"own": "OWN TEXT", "mit": "MIT TEXT", "isc": "ISC TEXT", "notice": "NOTICE TEXT"},
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"route": "route", "ROUTE": "route", " router ": "router", "out": "example.org/Route route router", "example.org/": "example.org/Route", "cairn": "Cairn",
	} {
		found, err := example.Find(name)
		var names []string
		if err == nil {
			for _, component := range found.Components {
				names = append(names, component.Name)
			}
		}
		if strings.Join(names, " ") != want {
			t.Errorf("%q: %v %v, want %s", name, names, err, want)
		}
	}
	if found, err := example.Find("router"); err != nil || len(found.Texts) != 2 || found.Texts["notice"] == "" {
		t.Errorf("%+v %v", found, err)
	}
	for _, name := range []string{"nosuch", " "} {
		if _, err := example.Find(name); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "cairn licenses") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPrint(t *testing.T) {
	var out strings.Builder
	if err := example.Print(&out); err != nil {
		t.Fatal(err)
	}
	rest := out.String()
	for _, next := range []string{
		"Cairn v1: LICENSE\n", "OWN TEXT\n", "in this program: 3.", "example.org/Route  v2", "router             3        npm   MIT\n",
		"example.org/Route v2: COPYING\nrouter 3: LICENSE\n", "MIT TEXT\n", "route 3: LICENSE\n", "ISC TEXT\n", "router 3: NOTICE\n", "NOTICE TEXT\n",
	} {
		_, after, found := strings.Cut(rest, next)
		if !found {
			t.Fatalf("%q is not where it should be in:\n%s", next, out.String())
		}
		rest = after
	}
	if strings.Count(out.String(), "MIT TEXT") != 1 {
		t.Errorf("a shared text is not printed once:\n%s", out.String())
	}
}
