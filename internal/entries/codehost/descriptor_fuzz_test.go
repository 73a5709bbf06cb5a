package codehost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
)

// FuzzDescriptor: any file is either parsed into short texts that occur in it, or refused by sentences with a line
// number that exists.
func FuzzDescriptor(f *testing.F) {
	files, err := filepath.Glob("../contribute/testdata/descriptors/*.yml")
	if err != nil || len(files) == 0 {
		f.Fatal("there are no seeds: ", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		d, faults := ParseDescriptor(content)
		lines := 1 + strings.Count(string(content), "\n") + strings.Count(string(content), "\r")
		lines += strings.Count(string(content), "\u0085") + strings.Count(string(content), "\u2028") + strings.Count(string(content), "\u2029")
		for _, field := range []DescriptorField{d.Name, d.Description, d.Authors, d.Tags, d.Privacy, d.Needs, d.Memory, d.CPUs, d.GPUs} {
			faults = append(faults, field.Faults...)
			if len(field.Faults) > 0 && len(field.Texts) > 0 {
				t.Errorf("a field with the faults %v has texts", field.Faults)
			}
			for _, text := range field.Texts {
				if text.Value == "" || strings.TrimSpace(text.Value) != text.Value || !utf8.ValidString(text.Value) ||
					len(text.Value) > len(content) || text.Line < 1 || text.Line > lines {
					t.Errorf("%q is read in line %d of %d", text.Value, text.Line, lines)
				}
			}
		}
		for _, one := range faults {
			checkSentence(t, one, lines)
		}
	})
}

func checkSentence(t *testing.T, one fault.Field, lines int) {
	t.Helper()
	number, _, _ := strings.Cut(strings.TrimPrefix(one.Location, "line "), ":")
	var line int
	for _, digit := range number {
		line = 10*line + int(digit-'0')
	}
	if line < 1 || line > lines || one.Message == "" || len(one.Message) > 1500 || !utf8.ValidString(one.Message) {
		t.Errorf("line %q of %d: %q", one.Location, lines, one.Message)
	}
}
