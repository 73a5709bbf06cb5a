// Command gather writes the inventory of licenses of everything in the binary: of the Go modules that it links on any
// platform of a release, and of the npm packages named by the page's build. It ends with one sentence for each
// component that has no license, or one that isn't allowed. The rules are in rules.go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"cairn/internal/foundation/licenses"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := gather(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:gocritic // nothing deferred matters at the end of the process
	}
}

// gather reads the repository in the working directory.
func gather(ctx context.Context, out io.Writer) error {
	sources, err := modules(ctx)
	if err != nil {
		return err
	}
	packages, err := pagePackages("web")
	if err != nil {
		return err
	}
	sources = append(append(sources, packages...), source{name: "Cairn", kind: licenses.Product, root: ".", folders: []string{"."}})
	inventory, err := read(sources)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(inventory)
}

// read returns the inventory of sources; the error has a sentence for each source that may not be in the binary.
func read(sources []source) (*licenses.Inventory, error) {
	inventory := &licenses.Inventory{Texts: map[string]string{}}
	var faults []error
	for _, one := range sources {
		component, err := one.component(inventory.Texts)
		faults = append(faults, err)
		inventory.Components = append(inventory.Components, component)
	}
	inventory.Sort()
	return inventory, errors.Join(faults...)
}
