package enginetest

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
)

// unpack returns the files of a zip file with their text.
func (b *bench) unpack(packed []byte) map[string]string {
	b.Helper()
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		b.Fatalf("The archive is no zip file: %v", err)
	}
	files := map[string]string{}
	for _, entry := range archive.File {
		if strings.HasSuffix(entry.Name, "/") {
			continue
		}
		opened, err := entry.Open()
		if err != nil {
			b.Fatal(err)
		}
		text, err := io.ReadAll(opened)
		if err != nil {
			b.Fatal(err)
		}
		files[entry.Name] = string(text)
	}
	return files
}
