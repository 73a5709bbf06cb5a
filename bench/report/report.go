// Package report formats the results of benchmarks: Markdown that is also readable in a terminal.
package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Table is a table with a heading for each column. The first column is text, the others are numbers.
type Table struct {
	Columns []string
	Rows    [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// String returns the table in Markdown with columns of even width.
func (t *Table) String() string {
	widths := make([]int, len(t.Columns))
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	line := func(row []string) {
		for i, cell := range row {
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				out.WriteString("| " + cell + blanks)
			} else {
				out.WriteString(" | " + blanks + cell)
			}
		}
		out.WriteString(" |\n")
	}
	line(t.Columns)
	for i, width := range widths {
		if i == 0 {
			out.WriteString("|" + strings.Repeat("-", width+2))
		} else {
			out.WriteString("|" + strings.Repeat("-", width+1) + ":")
		}
	}
	out.WriteString("|\n")
	for _, row := range t.Rows {
		line(row)
	}
	return out.String()
}

// Aim is a promised figure.
type Aim struct {
	Text     string
	Limit    float64
	Measured float64
	AtLeast  bool // the figure should be at least Limit; else at most
	Unit     string
}

func (a Aim) format(value float64) string { return strings.TrimSpace(Number(value) + " " + a.Unit) }

func (a Aim) bound() string {
	if a.AtLeast {
		return "at least " + a.format(a.Limit)
	}
	return "at most " + a.format(a.Limit)
}

// Met reports whether the promise was kept.
func (a Aim) Met() bool {
	if a.AtLeast {
		return a.Measured >= a.Limit
	}
	return a.Measured <= a.Limit
}

// Verdict says whether the promise was kept, and by how much.
func (a Aim) Verdict() string {
	low, high := min(a.Limit, a.Measured), max(a.Limit, a.Measured)
	word := "missed"
	if a.Met() {
		word = "met"
	}
	if low <= 0 {
		return word
	}
	factor := high / low
	if factor < 2 {
		return fmt.Sprintf("%s by %.0f %%", word, 100*(factor-1))
	}
	return fmt.Sprintf("%s %s times over", word, Number(factor))
}

// Milliseconds formats a time in milliseconds with three significant digits.
func Milliseconds(d time.Duration) string { return Number(float64(d) / 1e6) }

// Seconds formats a time in seconds.
func Seconds(d time.Duration) string { return Number(d.Seconds()) + " s" }

// Mebibytes formats a number of bytes.
func Mebibytes(bytes int64) string { return Whole(int(bytes>>20)) + " MiB" }

// SizeOf adds up the bytes of the files in a folder, or returns those of a file.
func SizeOf(folder string) (total int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		about, err := entry.Info()
		if err == nil {
			total += about.Size()
		}
		return err
	})
	return total, err
}

// Number formats a number with about three significant digits.
func Number(value float64) string {
	switch {
	case value >= 100:
		return Whole(int(value + 0.5))
	case value >= 10:
		return strconv.FormatFloat(value, 'f', 1, 64)
	default:
		return strconv.FormatFloat(value, 'f', 2, 64)
	}
}

// Whole formats a whole number in groups of three digits.
func Whole(value int) string {
	text := strconv.Itoa(value)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Machine describes what a benchmark ran on: cores, memory and processor.
func Machine() string {
	kibibytes, _ := strconv.Atoi(strings.TrimSuffix(fact("/proc/meminfo", "MemTotal"), " kB"))
	return fmt.Sprintf("%d cores, %.0f GiB of memory, %s", runtime.NumCPU(), float64(kibibytes)/(1<<20), cmp.Or(fact("/proc/cpuinfo", "model name"), runtime.GOARCH))
}

// fact returns the value of "name : value" in a file of the kernel.
func fact(path, name string) string {
	text, _ := os.ReadFile(path)
	for line := range bytes.Lines(text) {
		if key, value, found := strings.Cut(string(line), ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// WritePart replaces a part of a file, or adds it at the end. "" is the beginning of a file, before the first part with a
// name.
func WritePart(path, name, text string) error {
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parts := strings.Split(string(content), partMark)
	text = strings.TrimRight(text, "\n") + "\n"
	if name == "" {
		parts[0] = text
	} else {
		text = name + " -->\n\n" + text
		at := slices.IndexFunc(parts, func(part string) bool { return strings.HasPrefix(part, name+" -->") })
		if at < 0 {
			parts = append(parts, text)
		} else {
			parts[at] = text
		}
	}
	for i, part := range parts[:len(parts)-1] {
		parts[i] = strings.TrimRight(part, "\n") + "\n\n"
	}
	return os.WriteFile(path, []byte(strings.Join(parts, partMark)), 0o644) //nolint:gosec // the caller names the file
}

// partMark begins each part with a name.
const partMark = "<!-- part: "
