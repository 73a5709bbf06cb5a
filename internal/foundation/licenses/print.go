package licenses

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Print writes an inventory for people: Cairn's license, a table of the others, and their texts, each once with the
// names of all its components.
func (i *Inventory) Print(out io.Writer) error {
	buffer := bufio.NewWriter(out)
	own := i.only(func(component Component) bool { return component.Kind == Product })
	others := i.only(func(component Component) bool { return component.Kind != Product })
	own.printTexts(buffer)
	if len(own.Components) > 0 && len(others.Components) > 0 {
		fmt.Fprintf(buffer, "Third-party components in this program: %d. A Go module's name is also the address of its source.\n\n", len(others.Components))
	}
	table := tabwriter.NewWriter(buffer, 0, 0, 2, ' ', 0)
	if len(others.Components) > 0 {
		fmt.Fprintln(table, "NAME\tVERSION\tKIND\tLICENSE")
	}
	for _, component := range others.Components {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", component.Name, component.Version, component.Kind, component.License)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(others.Components) > 0 {
		fmt.Fprintln(buffer)
	}
	others.printTexts(buffer)
	return buffer.Flush()
}

var ruler = strings.Repeat("=", 80)

func (i *Inventory) printTexts(out io.Writer) {
	printed := map[string]bool{}
	for _, component := range i.Components {
		for _, file := range component.Files {
			if printed[file.Text] {
				continue
			}
			printed[file.Text] = true
			fmt.Fprintln(out, ruler)
			for _, other := range i.Components {
				at := slices.IndexFunc(other.Files, func(one LicenseFile) bool { return one.Text == file.Text })
				if at >= 0 {
					fmt.Fprintln(out, strings.TrimSpace(other.Name+" "+other.Version)+": "+other.Files[at].Name)
				}
			}
			fmt.Fprintf(out, "%s\n\n%s\n\n", ruler, i.Texts[file.Text])
		}
	}
}
