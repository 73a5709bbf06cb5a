package httpapi

import (
	"bytes"
	"compress/gzip"
	"strings"
	"sync"
)

// compressionLevel is where answers get small without a caller waiting for it: level 6 takes three times as long for a
// tenth less.
const compressionLevel = 3

// gzipWriters are kept for the next text: each holds most of a megabyte.
var gzipWriters sync.Pool

// Compressed returns a text as gzip. Nothing in it may be both secret and beside what others choose, so that its size gives
// nothing away (BREACH): answers to bearer tokens, which no foreign page can ask for, are fine.
func Compressed(content []byte) []byte {
	var result bytes.Buffer
	writer, ok := gzipWriters.Get().(*gzip.Writer)
	if !ok {
		writer, _ = gzip.NewWriterLevel(nil, compressionLevel) // errs for levels alone that there are none of
	}
	defer gzipWriters.Put(writer)
	writer.Reset(&result)
	_, _ = writer.Write(content) // a buffer takes everything
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
