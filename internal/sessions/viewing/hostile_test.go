package viewing

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"cairn/internal/sessions/machine/broker"
)

// A hostile session's answer of a few megabytes would become gigabytes.
func TestHostileAnswersAreRefused(t *testing.T) {
	t.Parallel()
	const many = 300_000
	for name, answer := range map[string]string{
		"cells":     `{"notebook":{"path":"a.ipynb","cells":[` + strings.Repeat("{},", many) + `{}]}}`,
		"few cells": `{"notebook":{"path":"a.ipynb","cells":[` + strings.Repeat("{},", mostCells) + `{}]}}`,
		"files":     `{"files":[` + strings.Repeat("{},", many) + `{}]}`,
		"few files": `{"files":[` + strings.Repeat("{},", mostFiles) + `{}]}`,
		"notebooks": `{"notebooks":[` + strings.Repeat("{},", mostNotebooks) + `{}]}`,
		"outputs":   `{"notebook":{"path":"a.ipynb","cells":[{"outputs":[` + strings.Repeat("{},", many) + `{}]}]}}`,
		"nested":    `{"notebook":{"path":"a.ipynb","cells":[{"outputs":[{"a":[` + strings.Repeat("[],", many) + `[]]}]}]}}`,
		"deep":      `{"notebook":{"path":"a.ipynb","cells":[{"outputs":[{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}]}]}}`,
		"a number":  `1`,
		"no end":    `{"files":[`,
	} {
		if look, err := read([]byte(answer)); err == nil {
			t.Errorf("%s are shown: %d files, %d notebooks", name, len(look.Files), len(look.Notebooks))
		}
	}
	// Signs in texts don't count: a table printed as text is full of them.
	want := broker.Look{Notebook: &broker.LookedAt{Path: "a.ipynb", Cells: []broker.LookCell{{Source: strings.Repeat(`,[{"\`, many), Outputs: []map[string]any{{"text": strings.Repeat("<", many)}}}}}}
	answer, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	look, err := read(answer)
	if err != nil || !reflect.DeepEqual(look, want) {
		t.Errorf("a long text is refused: %v", err)
	}
	if made, err := write(View{Notebook: look.Notebook}); err != nil || len(made.whole) > 4*many*8 {
		t.Errorf("the view has %d bytes (%v)", len(made.whole), err)
	}
}
