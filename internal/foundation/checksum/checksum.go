// Package checksum compares what arrives with what its sender says about it.
package checksum

import (
	"crypto/md5"  //nolint:gosec // a checksum that archives have
	"crypto/sha1" //nolint:gosec // likewise
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"hash"
	"strings"
)

// What is wrong with what arrived.
var (
	ErrSize    = errors.New("it has another size")
	ErrDigest  = errors.New("it has another digest")
	ErrUnknown = errors.New("the digest is of an algorithm that isn't known")
)

// Writer takes what arrives.
type Writer struct {
	size, got int64 // size is negative where it isn't known
	hash      hash.Hash
	want      string // "": no digest is known
}

// New returns a writer for a content of a size, which is negative where it isn't known, and with a digest such as
// md5:d41d8cd98f00b204e9800998ecf8427e; "": none is known. ErrUnknown for one that is neither md5, sha1, sha256 nor sha512.
func New(size int64, digest string) (*Writer, error) {
	if digest == "" {
		return &Writer{size: size}, nil
	}
	algorithm, want, _ := strings.Cut(digest, ":")
	maker := map[string]func() hash.Hash{"md5": md5.New, "sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New}[algorithm]
	if maker == nil || want == "" {
		return nil, ErrUnknown
	}
	return &Writer{size: size, hash: maker(), want: strings.ToLower(want)}, nil
}

// Write implements io.Writer. ErrSize as soon as there is too much.
func (w *Writer) Write(part []byte) (int, error) {
	w.got += int64(len(part))
	if w.size >= 0 && w.got > w.size {
		return 0, ErrSize
	}
	if w.hash != nil {
		_, _ = w.hash.Write(part) // which never fails
	}
	return len(part), nil
}

// Check returns ErrSize or ErrDigest unless what was written is what it should be.
func (w *Writer) Check() error {
	switch {
	case w.size >= 0 && w.got != w.size:
		return ErrSize
	case w.hash != nil && hex.EncodeToString(w.hash.Sum(nil)) != w.want:
		return ErrDigest
	}
	return nil
}
