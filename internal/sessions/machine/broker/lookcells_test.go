package broker_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// book writes a notebook with these cells and returns what is shown of it.
func (l *looking) book(cells ...fields) string {
	l.Helper()
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	check(l.T, encoder.Encode(fields{"cells": cells, "metadata": fields{"language_info": fields{"name": "python"}}}))
	l.write(file, text.String())
	answer, err := json.Marshal(l.look(file))
	check(l.T, err)
	return string(answer)
}

func code(source string, outputs ...fields) fields {
	return fields{"cell_type": "code", "source": source, "execution_count": 1, "outputs": outputs}
}

func TestOutputsAreShownWithinBounds(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	long := strings.Repeat("é", 15_000) + strings.Repeat("z", 15_000)
	stream := func(text any) fields { return fields{"output_type": "stream", "name": "stderr", "text": text} }
	data := func(data fields) fields {
		return fields{"output_type": "display_data", "metadata": fields{"a": "b"}, "data": data}
	}
	for what, one := range map[string]struct {
		output  fields
		want    string // the output
		isShort bool   // it was cut
	}{
		"a stream in lines":    {output: stream([]string{"a\n", "b"}), want: `{"name":"stderr","output_type":"stream","text":"a\nb"}`},
		"a long stream":        {output: stream(long), isShort: true},
		"a program":            {output: data(fields{"text/html": "<b>", "application/javascript": "x", "text/plain": "b"}), want: `{"data":{"text/plain":"b"},"metadata":{},"output_type":"display_data"}`},
		"only a program":       {output: data(fields{"text/html": "<b>"}), want: `{"data":{},"metadata":{},"output_type":"display_data"}`},
		"a picture":            {output: data(fields{"image/png": "AAAA", "text/latex": []string{"x", "y"}}), want: `{"data":{"image/png":"AAAA","text/latex":"xy"},"metadata":{},"output_type":"display_data"}`},
		"a large picture":      {output: data(fields{"image/svg+xml": strings.Repeat("x", 512<<10+1), "text/plain": "p"}), want: `{"cut":true,"data":{"text/plain":"p"},"metadata":{},"output_type":"display_data"}`, isShort: true},
		"a result":             {output: fields{"output_type": "execute_result", "execution_count": 3, "data": fields{"text/plain": "4"}}, want: `{"data":{"text/plain":"4"},"execution_count":3,"metadata":{},"output_type":"execute_result"}`},
		"a long result":        {output: data(fields{"text/plain": long}), isShort: true},
		"an exception":         {output: fields{"output_type": "error", "ename": "E", "evalue": "v", "traceback": []string{"t", "u"}}, want: `{"ename":"E","evalue":"v","output_type":"error","traceback":["t","u"]}`},
		"a long exception":     {output: fields{"output_type": "error", "ename": "E", "evalue": "v", "traceback": []string{"t", long}}, want: `{"cut":true,"ename":"E","evalue":"v","output_type":"error","traceback":["t"]}`, isShort: true},
		"what isn't an output": {output: fields{"output_type": "other", "text": "x"}, want: ""},
	} {
		answer := l.book(code("x", one.output))
		look := l.look(file)
		if got := fmt.Sprint(len(look.Notebook.Cells), look.Notebook.Cut, look.Notebook.Language); got != fmt.Sprint(1, one.isShort, "python") {
			t.Errorf("%s: %s", what, answer)
		}
		if outputs := `"outputs":[` + one.want + `]`; (one.want != "" || !one.isShort) && !strings.Contains(answer, outputs) {
			t.Errorf("%s: %s, want %s", what, answer, outputs)
		}
	}
	l.book(code("x", stream(long), data(fields{"text/plain": long})))
	outputs := l.look(file).Notebook.Cells[0].Outputs
	if text, _ := outputs[0]["text"].(string); text != long[len(long)-25_000:] || outputs[0]["cut"] != true {
		t.Errorf("of a long stream %d characters are shown", utf8.RuneCountInString(text))
	}
	if text, _ := outputs[1]["data"].(map[string]any)["text/plain"].(string); text != long[:35_000] || outputs[1]["cut"] != true {
		t.Errorf("of a long text %d characters are shown", utf8.RuneCountInString(text))
	}
}

func TestNotebooksAreShownWithinBounds(t *testing.T) {
	t.Parallel()
	l := newLooking(t)
	picture := fields{"output_type": "display_data", "data": fields{"image/png": strings.Repeat("A", 500_000)}}
	cells := []fields{}
	for at := range 12 {
		cells = append(cells, code(fmt.Sprint("code ", at), picture))
	}
	answer := l.book(cells...)
	look := l.look(file)
	if len(answer) > 4<<20 || !look.Notebook.Cut || len(look.Notebook.Cells) != 12 || len(look.Notebook.Cells[3].Outputs) != 0 || len(look.Notebook.Cells[4].Outputs) != 1 {
		t.Errorf("of 12 pictures %d bytes are shown", len(answer))
	}
	l.put(codes(12)...) // the server's own file has no outputs
	tab := l.open("tab-1")
	tab.run("r1", "code 0", 0)
	x := l.take()
	x.say("iopub", "display_data", fields{"data": fields{"image/png": strings.Repeat("B", 500_000)}, "metadata": fields{}})
	eventually(t, "what is executed is shown instead of what is older", func() bool {
		look = l.look(file)
		return len(look.Notebook.Cells[0].Outputs) == 1 && len(look.Notebook.Cells[4].Outputs) == 0 && len(look.Notebook.Cells[5].Outputs) == 1
	})
	long := strings.Repeat("<", 30_000) // JSON writes it with six
	cells = nil
	for range 600 {
		cells = append(cells, fields{"cell_type": "markdown", "source": "x"})
	}
	l.book(cells...)
	if got := l.look(file).Notebook; len(got.Cells) != 500 || !got.Cut {
		t.Errorf("%d cells are shown", len(got.Cells))
	}
	for at := range cells {
		cells[at]["source"] = long
	}
	if answer := l.book(cells...); len(answer) > 4<<20 || len(answer) < 3<<20 || len(l.look(file).Notebook.Cells[1].Source) != 20_000 {
		t.Errorf("of long sources %d bytes are shown", len(answer))
	}
	check(t, os.Truncate(filepath.Join(l.folder, file), 32<<20+1))
	if got := l.look(file).Notebook; got == nil || !got.Cut || len(got.Cells) != 0 || !got.IsBusy {
		t.Errorf("of a file that is too large it shows %+v", got)
	}
}
