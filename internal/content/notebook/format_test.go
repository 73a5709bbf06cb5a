package notebook

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"
)

func pngOf(t *testing.T, width, height int) string {
	t.Helper()
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(content.Bytes())
}

// TestSizesOfPictures: a picture has the size that the metadata of its output give it.
func TestSizesOfPictures(t *testing.T) {
	renderer := newRenderer(t)
	for metadata, want := range map[string]string{
		`{"image/png": {"width": 400, "height": 200}}`:                              ` width="400" height="200"`,
		`{"image/png": {"width": 400.0}}`:                                           ` width="400"`,
		`{"width": "300", "height": "40px"}`:                                        ` width="300" height="40"`,
		`{"image/png": {"height": 7.9}, "width": 5}`:                                ` width="5" height="7"`,
		`{"image/jpeg": {"width": 400}}`:                                            "",
		`{"image/png": {"width": -1, "height": 1e99}}`:                              "",
		`{"image/png": {"width": "9\" onload=\"x", "height": {}}, "height": "NaN"}`: "",
		`{"image/png": {"width": "0x10", "height": "50%"}}`:                         "",
		`{}`: "", `7`: "", `null`: "", `{"image/png": []}`: "",
	} {
		source := `{"nbformat":4,"cells":[{"cell_type":"code","source":"","outputs":[{"output_type":"display_data","data":{"image/png":"` + pngOf(t, 800, 400) + `"},"metadata":` + metadata + `}]}]}`
		document := render(t, renderer, source)
		checkSafe(t, document.HTML)
		if !strings.Contains(string(document.HTML), `alt="Picture made by the code"`+want+`>`) {
			t.Errorf("%s: %.100s", metadata, document.HTML[bytes.Index(document.HTML, []byte("alt=")):])
		}
	}
}

// TestWhatOtherProgramsWrite: notebooks that Jupyter itself would write a little differently are shown without a complaint.
func TestWhatOtherProgramsWrite(t *testing.T) {
	renderer := newRenderer(t)
	cell := func(count, output string) string {
		return `{"nbformat": 4.0, "metadata": {"papermill": {"alpha": NaN}}, "cells": [{"cell_type": "code", "execution_count": ` + count + `, "source": "1+1", "outputs": [` + output + `]}]}`
	}
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"counts with a fraction": {cell("3.0", `{"output_type": "execute_result", "execution_count": 3.0, "data": {"text/plain": "2"}}`), []string{"In [3]", "Out [3]"}},
		"format 3": {`{"nbformat": 3.0, "worksheets": [{"cells": [{"cell_type": "heading", "level": 2.0, "source": "a"}, {"cell_type": "code", "prompt_number": 4.0, "input": "1",
			"outputs": [{"output_type": "pyout", "prompt_number": 4.0, "text": "2"}]}]}]}`, []string{"In [4]", "Out [4]"}},
		"a traceback that is a text": {cell("null", `{"output_type": "error", "ename": "E", "traceback": "Traceback\nE: no"}`), []string{"In [ ]", "Traceback\nE: no"}},
		"a traceback of lines":       {cell("1", `{"output_type": "error", "traceback": ["Traceback", "E: no"]}`), []string{"Traceback\nE: no"}},
		"numbers that JSON hasn't":   {cell("1", `{"output_type": "display_data", "data": {"application/json": {"loss": NaN, "best": -Infinity}}, "metadata": {"x": Infinity}}`), []string{`&#34;loss&#34;: null`}},
		"such words in texts":        {cell("1", `{"output_type": "stream", "text": "loss: NaN, \"Infinity\""}`), []string{"loss: NaN, &#34;Infinity&#34;"}},
	} {
		made := string(render(t, renderer, c.source).HTML)
		for _, want := range c.want {
			if !strings.Contains(made, want) {
				t.Errorf("%s: no %q in %s", name, want, made)
			}
		}
		if strings.Contains(made, "note") {
			t.Errorf("%s: %s", name, made)
		}
	}
}
