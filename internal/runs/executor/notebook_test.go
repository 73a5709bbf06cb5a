package executor_test

import (
	"fmt"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/runs/executor"
)

// What isn't a notebook that can be executed is refused, with the reason, before a kernel is started. Reasons that are empty here
// are the parser's, which the tests of internal/content/notebook assert.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"":                                   "",
		"{\n\"cells\": [\n}":                 "",
		"[]":                                 "",
		"{}":                                 "",
		`{"nbformat": 4, "cells": {}}`:       "",
		`{"nbformat": 2, "worksheets": []}`:  "",
		`{"nbformat": 5, "cells": []}`:       "",
		"{\"nbformat\": 4, \"a\": \"\xff\"}": "This isn't a Jupyter notebook: it isn't UTF-8 text.",
		notebook(`{}`):                       "This notebook has no code to execute.",
		notebook(`{}`, `{"cell_type": "markdown", "metadata": {}, "source": "# Title"}`, `{"cell_type": "code", "source": " \n"}`): "This notebook has no code to execute.",
		notebook(`{}`, `{"cell_type": "code", "source": "1"}`, `7`):                                                                "Cell 2 of this notebook can't be read. Open and save the notebook with Jupyter.",
		notebook(`{}`, `{"cell_type": "code", "source": 7}`):                                                                       "Cell 1 of this notebook can't be read. Open and save the notebook with Jupyter.",
		notebook(`{}`, `{"cell_type": "code"}`):                                                                                    "Cell 1 of this notebook has no source. Open and save the notebook with Jupyter.",
		notebook(`{}`, `{"cell_type": "query", "source": "1"}`):                                                                    `Cell 1 of this notebook has the type "query", which Jupyter doesn't know.`,
		code("1", strings.Repeat("x", 1<<20+1)):                                                                                    "Cell 2 of this notebook has more than 1 MiB of code, the most that can be executed.",
		strings.Repeat(" ", 64<<20+1):                                                                                              "This notebook has more than 64 MiB. Clear large outputs and save it again.",
	} {
		s := newScripted(t, nil)
		_, err := s.tried(t.Context(), source, executor.Options{})
		kind := fault.Invalid
		if strings.Contains(want, "MiB") {
			kind = fault.TooLarge
		}
		if want != "" && fault.MessageOf(err) != want || fault.KindOf(err) != kind || len(s.calls) != 0 {
			t.Errorf("%.100q: %v, and the server was asked for %v; want %s", source, err, s.calls, want)
		}
	}
}

// Notebooks of older formats come out in format 4.5.
func TestOlderFormats(t *testing.T) {
	t.Parallel()
	s := newScripted(t, func(k *kernel, number int) {
		k.prints(fmt.Sprint(number))
		k.ends()
	})
	executed := s.execute(t.Context(), `{"nbformat": 3, "metadata": {"name": "old"}, "worksheets": [{"cells": [
		{"cell_type": "heading", "level": 2, "source": ["Title"]},
		{"cell_type": "code", "language": "python", "input": ["a = 1\n", "a"], "outputs": [{"output_type": "pyout", "prompt_number": 1, "text": "1"}], "prompt_number": 1},
		{"cell_type": "code", "language": "python", "input": "b", "outputs": [{"output_type": "pyout"}], "metadata": {"tags": ["skip-execution"]}}]}]}`, executor.Options{})
	book := read(t, executed)
	if book.Format != 4 || book.Minor != 5 || book.Cells[0].Type != "markdown" || book.Cells[0].Source != "## Title" || book.Cells[1].Source != "a = 1\na" {
		t.Errorf("Format 3 becomes\n%s", executed.Notebook)
	}
	if got := outputs(t, executed); got != `[][stdout:"1"][]` || s.started != "python3" {
		t.Errorf("The outputs are %s, the kernel was %s", got, s.started)
	}
	cells := `{"cell_type": "code", "source": "1", "metadata": 7},
		{"cell_type": "raw", "source": ["a", "b"], "id": "cell-1", "metadata": null, "attachments": {}},
		{"cell_type": "markdown", "source": "![](a.png)", "id": "not valid!", "attachments": {"a.png": {"image/png": "AA=="}}},
		{"cell_type": "code", "source": "2", "id": "cell-1"}, {"cell_type": "code", "source": "3", "id": 7}`
	if _, err := s.tried(t.Context(), notebook(`{}`, cells), executor.Options{}); err == nil {
		t.Error("An id that is a number is taken")
	}
	s.calls = nil
	executed = s.execute(t.Context(), notebook(`null`, strings.ReplaceAll(cells, `, "id": 7`, "")), executor.Options{})
	var ids []string
	for _, cell := range read(t, executed).Cells {
		ids = append(ids, cell.ID)
	}
	if got := strings.Join(ids, " "); got != "cell-6 cell-1 cell-3 cell-4 cell-5" {
		t.Errorf("The ids are %s", got)
	}
	if !strings.Contains(string(executed.Notebook), `"image/png": "AA=="`) {
		t.Error("The attachment is lost")
	}
}

func TestManyCells(t *testing.T) {
	t.Parallel()
	cells := make([]string, 10_000)
	for i := range cells {
		cells[i] = "1"
	}
	executed := newScripted(t, func(k *kernel, _ int) {
		k.prints("1\n")
		k.ends()
	}).execute(t.Context(), code(cells...), executor.Options{})
	if executed.Ending != executor.Finished || executed.Cells[9999].State != executor.Ran || len(read(t, executed).Cells) != len(cells) {
		t.Errorf("%s: %s", executed.Ending, executed.Reason)
	}
}

// Two runs at once on one server have a kernel each; the path decides where it starts.
func TestPathOfTheKernel(t *testing.T) {
	t.Parallel()
	s := newScripted(t, func(k *kernel, _ int) { k.ends() })
	var paths []string
	s.cells = func(k *kernel, _ int) {
		paths = append(paths, s.path)
		k.ends()
	}
	s.execute(t.Context(), code("1"), executor.Options{Folder: "work/project"})
	s.calls = nil
	s.execute(t.Context(), code("1"), executor.Options{})
	if len(paths) != 2 || !strings.HasPrefix(paths[0], "work/project/") || strings.Contains(paths[1], "/") || strings.HasSuffix(paths[0], paths[1]) {
		t.Errorf("The paths are %v", paths)
	}
}
