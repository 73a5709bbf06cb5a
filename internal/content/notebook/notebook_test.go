package notebook

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"cairn/web"
)

// newRenderer creates a renderer with formulas. Until the page is built it skips the test, except where everything must be
// there.
func newRenderer(t testing.TB) *Renderer {
	t.Helper()
	script, err := web.MathJax()
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
		t.Skip("The page is not built: run make check, which does that")
	}
	if err != nil {
		t.Fatal(err)
	}
	renderer, err := New(Options{Script: script})
	if err != nil {
		t.Fatal(err)
	}
	renderer.renderTimeout, renderer.formulas.timeout = time.Minute, time.Minute // the output must not depend on how busy the machine is
	return renderer
}

// render renders the only part of a notebook.
func render(t testing.TB, renderer *Renderer, source string) Document {
	t.Helper()
	document, err := renderer.Render(t.Context(), []byte(source), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// inMarkdown returns a notebook with one Markdown cell.
func inMarkdown(source string) string {
	return notebookOf(map[string]any{"cell_type": "markdown", "metadata": map[string]any{}, "source": source})
}

// withOutputs returns a notebook with one code cell and its outputs.
func withOutputs(outputs ...map[string]any) string {
	return notebookOf(map[string]any{
		"cell_type": "code", "execution_count": 1, "metadata": map[string]any{}, "source": "run()", "outputs": outputs,
	})
}

// shows returns an output with one form.
func shows(mime string, content any) map[string]any {
	return map[string]any{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{mime: content}}
}

func notebookOf(cells ...map[string]any) string {
	source, err := json.Marshal(map[string]any{
		"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{"language_info": map[string]any{"name": "python"}}, "cells": cells,
	})
	if err != nil {
		panic(err) // of texts and maps
	}
	return string(source)
}
