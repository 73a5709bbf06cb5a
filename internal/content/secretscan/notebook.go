package secretscan

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"cairn/internal/content/nbformat"
)

// notebook searches sources, outputs and metadata of a notebook as text. What can't be read as a notebook, such as the beginning of one
// that is too long, is searched as far as it is JSON, and as it is written after that.
func (f *found) notebook(ctx context.Context, source []byte) {
	file, err := nbformat.Read(source)
	if err != nil {
		f.text(ctx, unescaped(source), 0)
		return
	}
	for i, cell := range file.Cells {
		if ctx.Err() != nil {
			return
		}
		if len(cell) >= shortest {
			f.text(ctx, unescaped(cell), i+1)
		}
	}
	f.text(ctx, unescaped(file.Metadata), 0)
}

// unescaped returns the texts in JSON. The items of a list are lines, as in sources and tracebacks; values of objects are quoted after
// their name, as in a program.
func unescaped(source []byte) []byte {
	var text bytes.Buffer
	source = nbformat.Strict(source)
	decoder := json.NewDecoder(bytes.NewReader(source))
	decoder.UseNumber()
	var lists []bool // the containers that are open, and which are lists
	isName := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return text.Bytes()
		}
		if err != nil {
			break
		}
		inList := len(lists) > 0 && lists[len(lists)-1]
		switch value := token.(type) {
		case json.Delim:
			if value == '{' || value == '[' {
				lists = append(lists, value == '[')
			} else {
				lists = lists[:len(lists)-1]
			}
			text.WriteByte('\n')
			isName = len(lists) > 0 && !lists[len(lists)-1]
			continue
		case string:
			switch {
			case inList:
				text.WriteString(strings.TrimSuffix(value, "\n") + "\n")
			case isName:
				text.WriteString("\n" + value + ": ")
			default:
				text.WriteString(`"` + value + `"`)
			}
		}
		isName = !inList && !isName
	}
	text.WriteByte('\n')
	rest := source[min(int(decoder.InputOffset()), len(source)):]
	for from, to := range map[string]string{`\n`: "\n", `\"`: `"`} {
		rest = bytes.ReplaceAll(rest, []byte(from), []byte(to))
	}
	text.Write(rest)
	return text.Bytes()
}
