package broker

import (
	"cmp"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"
	"unicode/utf8"
)

// The bounds of what is shown of a notebook.
const (
	lookedFileLimit = 32 << 20 // bytes of a file that is read
	lookedCells     = 500
	lookedText      = 20_000    // characters of a source, or of a text of an output
	lookedPicture   = 512 << 10 // bytes of a picture as notebooks store it
	languageLimit   = 100       // bytes
)

// lookedFile is what a notebook's file has in it, as far as it's shown.
type lookedFile struct {
	path     string
	modified time.Time
	size     int64

	unread   bool // it's too large, or no notebook
	language string
	cells    []lookedCell
	cut      bool
}

// lookedCell is a cell of which the source isn't cut yet.
type lookedCell struct {
	LookCell

	order int // of its execution among all; 0: nothing is known of one
}

func (f *lookedFile) isOf(file string, about fs.FileInfo) bool {
	return f.path == file && f.modified.Equal(about.ModTime()) && f.size == about.Size()
}

// readLooked reads a notebook's file, unless it's too large.
func readLooked(root *os.Root, file string, about fs.FileInfo) (read lookedFile) {
	read = lookedFile{path: file, modified: about.ModTime(), size: about.Size(), unread: true}
	if about.Size() > lookedFileLimit {
		return read
	}
	opened, err := root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
	if err != nil {
		return read
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, lookedFileLimit))
	var book struct {
		Cells []struct {
			ID      string
			Kind    string `json:"cell_type"`
			Source  any
			Count   *int `json:"execution_count"`
			Outputs []map[string]any
		}
		Metadata struct {
			Kernel   struct{ Language string } `json:"kernelspec"`
			Language struct{ Name string }     `json:"language_info"`
		}
	}
	if err != nil || json.Unmarshal(text, &book) != nil {
		return read
	}
	read.unread, read.language = false, beginning(cmp.Or(book.Metadata.Language.Name, book.Metadata.Kernel.Language), languageLimit)
	for _, one := range book.Cells {
		made := lookedCell{LookCell: LookCell{ID: one.ID, Kind: one.Kind, Source: textOf(one.Source), Outputs: []map[string]any{}}}
		switch one.Kind {
		case "code":
			made.Count, made.Outputs = one.Count, lookedOutputs(one.Outputs)
		case "markdown":
		default:
			made.Kind = "raw"
		}
		read.cells = append(read.cells, made)
	}
	read.cut = leaveOut(read.cells, lookLimit)
	return read
}

// with returns what the notebook shows with what its kernels have executed since, in so many bytes.
func (f *lookedFile) with(kernels []lookedKernel, most int) *LookedAt {
	shown := &LookedAt{Path: f.path, Language: f.language, Cells: []LookCell{}, Cut: f.cut || f.unread}
	if f.unread { // in which cells it was executed isn't known
		return shown
	}
	cells, order := slices.Clone(f.cells), 0
	for _, one := range slices.Backward(kernels) { // the last worked in is the first
		if one.kernel == nil {
			continue
		}
		for _, x := range one.kernel.since(f.modified) {
			index, isNew := x.cellAmong(len(cells), func(at int) (id, code string, ok bool) {
				return cells[at].ID, cells[at].Source, cells[at].Kind == "code"
			})
			if index < 0 {
				continue
			}
			if isNew {
				cells = slices.Insert(cells, index, lookedCell{LookCell: LookCell{ID: x.Place.ID, Kind: "code"}})
			}
			order++
			placed := &cells[index]
			placed.Source, placed.Count, placed.State, placed.Outputs, placed.order = x.Code, x.Count, x.state(), lookedOutputs(x.Outputs), order
		}
	}
	if len(cells) > lookedCells {
		cells, shown.Cut = cells[:lookedCells], true
	}
	for at := range cells {
		source, isCut := textBegin(cells[at].Source)
		cells[at].Source = source
		if isCut || slices.ContainsFunc(cells[at].Outputs, func(one map[string]any) bool { return one["cut"] == true }) {
			shown.Cut = true
		}
	}
	most -= sizeOf(shown)
	if leaveOut(cells, most) {
		shown.Cut = true
	}
	for _, one := range cells {
		if most -= sizeOf(one.LookCell) + 1; most < 0 {
			shown.Cut = true
			break
		}
		shown.Cells = append(shown.Cells, one.LookCell)
	}
	return shown
}

// since returns what was executed that a file isn't known to have, which was changed at a time. An editor that saves without Jupyter's
// server is noticed by the file's date alone.
func (k *kernel) since(changed time.Time) (list []Execution) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, x := range k.record.executions {
		if !x.isBefore(changed) || !x.seen && !x.written {
			list = append(list, x.told())
		}
	}
	return list
}

// state returns the state of the cell of an execution.
func (x Execution) state() string {
	switch {
	case x.Input != nil:
		return LookInput
	case x.Status == "" && x.Began == nil:
		return LookWaiting
	case x.Status == "":
		return LookRunning
	case slices.Contains([]string{LookOK, LookAborted, LookLost}, x.Status):
		return x.Status
	}
	return LookError
}

// leaveOut leaves out outputs until the cells take so many bytes, if they can: of the first cells, and then of those that were executed
// first.
func leaveOut(cells []lookedCell, most int) (cut bool) {
	size := 0
	oldest := make([]int, len(cells))
	for at := range cells {
		size += sizeOf(cells[at].LookCell) + 1
		oldest[at] = at
	}
	slices.SortStableFunc(oldest, func(one, other int) int { return cmp.Compare(cells[one].order, cells[other].order) })
	for _, at := range oldest {
		if size <= most {
			break
		}
		if len(cells[at].Outputs) > 0 {
			size -= sizeOf(cells[at].Outputs) - len("[]")
			cells[at].Outputs, cut = []map[string]any{}, true
		}
	}
	return cut
}

// lookedOutputs returns what is shown of outputs: with "cut" if that isn't all.
func lookedOutputs(outputs []map[string]any) []map[string]any {
	shown := []map[string]any{}
	for _, one := range outputs {
		made, cut := map[string]any{"output_type": one["output_type"]}, false
		switch one["output_type"] {
		case "stream":
			if made["name"] = "stdout"; one["name"] == "stderr" {
				made["name"] = "stderr"
			}
			made["text"], cut = textEnd(textOf(one["text"]))
		case "error":
			for _, name := range []string{"ename", "evalue"} {
				text, isCut := textBegin(textOf(one[name]))
				made[name], cut = text, cut || isCut
			}
			lines, isCut := linesBegin(one["traceback"])
			made["traceback"], cut = lines, cut || isCut
		case "display_data", "execute_result":
			made["data"], cut = lookedData(one["data"])
			made["metadata"] = map[string]any{}
			if one["output_type"] == "execute_result" {
				made["execution_count"] = nil
				switch count := one["execution_count"].(type) {
				case *int, float64:
					made["execution_count"] = count
				}
			}
		default:
			continue
		}
		if cut {
			made["cut"] = true
		}
		shown = append(shown, made)
	}
	return shown
}

// lookedData returns what is shown of the forms of an output: those that need no programs in the page.
func lookedData(value any) (shown map[string]any, cut bool) {
	data, _ := value.(map[string]any)
	shown = map[string]any{}
	for _, kind := range []string{"image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"} {
		if text := textOf(data[kind]); len(text) > lookedPicture {
			cut = true
		} else if text != "" {
			shown[kind] = text
		}
	}
	for _, kind := range []string{"text/plain", "text/markdown", "text/latex"} {
		if text, isCut := textBegin(textOf(data[kind])); text != "" {
			shown[kind], cut = text, cut || isCut
		}
	}
	return shown, cut
}

// textBegin returns the beginning of a text that is too long.
func textBegin(text string) (begin string, cut bool) {
	characters := 0
	for at := range text {
		if characters++; characters > lookedText {
			return text[:at], true
		}
	}
	return text, false
}

// textEnd returns the end of a text that is too long.
func textEnd(text string) (end string, cut bool) {
	if len(text) <= lookedText {
		return text, false
	}
	from := len(text)
	for range lookedText {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	return text[from:], from > 0
}

// linesBegin returns the beginning of lines that are too long in all.
func linesBegin(value any) (lines []string, cut bool) {
	lines = []string{}
	list, _ := value.([]any)
	if told, ok := value.([]string); ok {
		for _, line := range told {
			list = append(list, line)
		}
	}
	characters := 0
	for _, one := range list {
		line, _ := one.(string)
		if characters += utf8.RuneCountInString(line) + 1; characters > lookedText {
			return lines, true
		}
		lines = append(lines, line)
	}
	return lines, false
}
