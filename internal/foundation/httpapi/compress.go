package httpapi

import (
	"bytes"
	"compress/gzip"
	"strings"
	"sync"
)

// compressionLevel makes answers small without delaying them: level 6 takes three times as long and saves another
// tenth.
const compressionLevel = 3

// gzipWriters are reused: each takes almost a megabyte.
var gzipWriters sync.Pool

// Compressed returns a text as gzip. The text must not combine secrets with content that others choose, so that its
// size reveals nothing (BREACH): answers to bearer tokens, which no foreign page can request, are fine.
func Compressed(content []byte) []byte {
	var result bytes.Buffer
	writer, ok := gzipWriters.Get().(*gzip.Writer)
	if !ok {
		writer, _ = gzip.NewWriterLevel(nil, compressionLevel) // fails only for invalid levels
	}
	defer gzipWriters.Put(writer)
	writer.Reset(&result)
	_, _ = writer.Write(content) // writing to a buffer can't fail
	_ = writer.Close()
	return result.Bytes()
}

// Accepts reports whether an Accept-Encoding header names an encoding without refusing it (q=0).
func Accepts(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, parameters, _ := strings.Cut(strings.TrimSpace(part), ";")
		quality := strings.ReplaceAll(parameters, " ", "")
		if name == encoding && quality != "q=0" && !strings.HasPrefix(quality, "q=0.0") {
			return true
		}
	}
	return false
}
