package licenses

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"runtime"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
)

// Kind says what a component is.
type Kind string

// The kinds, in the order of the list.
const (
	Product Kind = "product" // Cairn itself
	Go      Kind = "go"      // a module in the binary, named by the address of its source
	NPM     Kind = "npm"     // a package in the page, or in a script that the server runs
)

// StandardLibrary is the name of Go's standard library. Its version is the compiler's.
const StandardLibrary = "Go standard library"

// Component is a part of this program: Cairn itself, a Go module or an npm package.
type Component struct {
	Name    string        `json:"name"`
	Version string        `json:"version"`
	Kind    Kind          `json:"kind" enum:"product,go,npm"`
	License string        `json:"license" doc:"SPDX identifiers of all licenses that hold in it, joined by AND"`
	Files   []LicenseFile `json:"files" doc:"Its licenses and notices"`
}

// LicenseFile is a license text of a component.
type LicenseFile struct {
	Name string `json:"name" doc:"Its path in the component"`
	Text string `json:"text" doc:"The key of its text"`
}

// Inventory lists everything in this program: Cairn first, the others by kind and name.
type Inventory struct {
	Components []Component       `json:"components"`
	Texts      map[string]string `json:"texts" doc:"By key; components share equal ones"`
}

//go:embed licenses.json
var embedded []byte

// Load returns the inventory of this program in a version.
func Load(version string) (*Inventory, error) {
	inventory := &Inventory{}
	if err := json.Unmarshal(embedded, inventory); err != nil {
		return nil, fault.Wrap(err, fault.Internal, "The list of licenses in this binary is damaged; regenerate it with: make generate")
	}
	for i := range inventory.Components {
		switch component := &inventory.Components[i]; {
		case component.Kind == Product:
			component.Version = version
		case component.Name == StandardLibrary:
			component.Version = strings.TrimPrefix(runtime.Version(), "go")
		}
	}
	return inventory, nil
}

// Find returns the components with this name, or else those whose names contain it, ignoring case.
func (i *Inventory) Find(name string) (*Inventory, error) {
	wanted := strings.ToLower(strings.TrimSpace(name))
	found := i.only(func(component Component) bool { return strings.ToLower(component.Name) == wanted })
	if len(found.Components) == 0 && wanted != "" {
		found = i.only(func(component Component) bool { return strings.Contains(strings.ToLower(component.Name), wanted) })
	}
	if len(found.Components) == 0 {
		return nil, fault.New(fault.NotFound, "There is no component named %q in this binary. For all names, run: cairn licenses", name)
	}
	return found, nil
}

func (i *Inventory) only(wanted func(Component) bool) *Inventory {
	part := &Inventory{Texts: map[string]string{}}
	for _, component := range i.Components {
		if wanted(component) {
			part.Components = append(part.Components, component)
			for _, file := range component.Files {
				part.Texts[file.Text] = i.Texts[file.Text]
			}
		}
	}
	return part
}

// Sort sorts the components.
func (i *Inventory) Sort() {
	kinds := []Kind{Product, Go, NPM}
	slices.SortFunc(i.Components, func(a, b Component) int {
		return cmp.Or(
			slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind),
			strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
			strings.Compare(a.Version, b.Version),
		)
	})
}
