package sizes

import (
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// Interface is what a session is used in.
type Interface string

// The interfaces.
const (
	Jupyter Interface = "jupyter"
	VSCode  Interface = "vscode"
)

// Interfaces returns what sessions of an engine can be used in, the default first.
func (e Engine) Interfaces() []Interface {
	if editor, ok := e.Engine.(engine.EditorEngine); ok && editor.HasEditor() {
		return []Interface{Jupyter, VSCode}
	}
	return []Interface{Jupyter}
}

// CheckInterface returns InterfaceUnknown if sessions of an engine can't be used in an interface; "" is the default.
func (e Engines) CheckInterface(name string, in Interface) error {
	if in == "" {
		return nil
	}
	chosen, err := e.Of(name)
	if err != nil {
		return err
	}
	_, err = showing([]Engine{chosen}, in)
	return err
}

// showing returns those engines whose sessions can be used in an interface; InterfaceUnknown if there is none.
func showing(engines []Engine, in Interface) (able []Engine, err error) {
	if in == "" {
		return engines, nil
	}
	var names []string
	for _, one := range engines {
		have := one.Interfaces()
		if slices.Contains(have, in) {
			able = append(able, one)
		}
		for _, each := range have {
			if !slices.Contains(names, string(each)) {
				names = append(names, string(each))
			}
		}
	}
	if len(able) == 0 {
		return nil, fault.New(fault.InterfaceUnknown, "Sessions can't be opened in %s here. They can be opened in: %s.", fault.Quote(string(in)), strings.Join(names, ", "))
	}
	return able, nil
}
