package executor

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// FuzzNotebook reads bytes as a notebook. Each is refused in words, or written as one that is read again alike.
func FuzzNotebook(f *testing.F) {
	for _, source := range []string{
		`{"cells": [{"cell_type": "code", "id": "a", "metadata": {"tags": ["skip-execution"]}, "source": ["1"], "outputs": [], "execution_count": 1}], "metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4, "nbformat_minor": 5}`,
		`{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "heading", "level": 9, "source": "a"}, {"cell_type": "code", "input": "1", "language": "python"}]}]}`,
		`{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "a", "attachments": {"a": 1}}, {"cell_type": "code", "source": "1"}], "metadata": []}`,
	} {
		f.Add([]byte(source))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		book, err := read(source)
		if err != nil {
			if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.TooLarge {
				t.Fatal(err)
			}
			return
		}
		written, err := book.write("")
		if err != nil {
			t.Fatal(err)
		}
		again, err := read(written)
		if err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		second, err := again.write("")
		if err != nil || string(second) != string(written) {
			t.Errorf("It becomes\n%s\nand then, %v\n%s", written, err, second)
		}
	})
}

// FuzzOutputs takes messages, one a line: a type, a blank, and its content. Whatever they are, what is kept is counted right
// and within the limits.
func FuzzOutputs(f *testing.F) {
	f.Add(`stream {"name": "stdout", "text": "hello"}
stream {"name": "stdout", "text": "world"}
display_data {"data": {"text/plain": "a"}, "metadata": {}, "transient": {"display_id": "one"}}
next
update_display_data {"data": {"text/plain": "longer", "application/json": [1]}, "metadata": {"a": 1}, "transient": {"display_id": "one"}}
clear_output {"wait": true}
execute_result {"data": {"text/html": ["b", "c"]}, "metadata": {}, "execution_count": 3}
error {"ename": "a", "evalue": "b", "traceback": ["c"]}`)
	f.Fuzz(func(t *testing.T, lines string) {
		o := &outputs{cellLimit: 1000, limit: 2000, displays: map[string][]*output{}}
		book := &notebook{metadata: object{}, cells: []*cell{{kind: "code", metadata: object{}}}}
		for line := range strings.Lines(lines) {
			now := book.cells[len(book.cells)-1]
			kind, content, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch kind {
			case "next":
				book.cells = append(book.cells, &cell{kind: "code", metadata: object{}})
			case "stream", "display_data", "execute_result", "error", "update_display_data", "clear_output":
				_ = o.apply(now, jupyterkernel.Message{Type: kind, Content: json.RawMessage(content)})
			}
		}
		all := int64(0)
		for _, one := range book.cells {
			kept := int64(0)
			for _, output := range one.outputs {
				kept += output.size
			}
			if kept != one.kept || kept > o.cellLimit+errorLimit {
				t.Errorf("A cell has %d bytes and counts %d", kept, one.kept)
			}
			all += kept
		}
		if all != o.kept || all > o.limit+errorLimit {
			t.Errorf("All cells have %d bytes, and %d are counted", all, o.kept)
		}
		written, err := book.write("cut")
		if err != nil || !json.Valid(written) {
			t.Errorf("%v: %s", err, written)
		}
	})
}

// Messages of a display id may not cost the square of their number, whichever of them it is. A kernel that changes one
// output as often as it likes may.
func TestWorkGrowsWithTheMessages(t *testing.T) {
	t.Parallel()
	const display, update = `{"data": {"text/plain": "a"}, "metadata": {}, "transient": {"display_id": "one"}}`, "update_display_data"
	for name, test := range map[string]struct {
		before   int      // outputs of the first cell
		repeated []string // types of messages of the second
		stops    bool
	}{
		"one output that changes":        {1, []string{update}, false},
		"a progress bar that is cleared": {0, []string{"display_data", update, "clear_output"}, false},
		"many that change":               {5000, []string{update}, true},
		"each shown once more":           {0, []string{"display_data"}, true},
		"shown and cleared beside many":  {5000, []string{"display_data", "clear_output"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &outputs{cellLimit: 1 << 30, limit: 1 << 30, displays: map[string][]*output{}}
			first, second := &cell{kind: "code", metadata: object{}}, &cell{kind: "code", metadata: object{}}
			for i := range test.before {
				made := &output{cell: first, kind: "display_data", display: "one"}
				if o.store(made); len(o.displays["one"]) != i+1 {
					t.Fatal("It isn't stored")
				}
			}
			var err error
			for range 3000 {
				for _, kind := range test.repeated {
					if err == nil {
						err = o.apply(second, jupyterkernel.Message{Type: kind, Content: json.RawMessage(display)})
					}
				}
			}
			if why, _ := errors.AsType[stop](err); (why.ending == OutputLimit) != test.stops || (err != nil) != test.stops {
				t.Errorf("It ends with %v", err)
			}
			if o.looks > looksMost+5001 {
				t.Errorf("It took %d looks", o.looks)
			}
		})
	}
}
