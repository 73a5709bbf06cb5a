package comparator

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"io"
	"strings"
)

type digest [sha256.Size]byte

// content is a text or a picture. Beyond the limits only its digest and length are known.
type content struct {
	digest digest
	bytes  int
	text   string
	kept   bool
}

func (c content) empty() bool { return c.bytes == 0 || c.kept && strings.TrimSpace(c.text) == "" }

// keeper takes a content piece by piece.
type keeper struct {
	hash  hash.Hash
	bytes int
	limit int
	text  bytes.Buffer
}

func newKeeper(limit int) *keeper { return &keeper{hash: sha256.New(), limit: limit} }

// Write never fails.
func (k *keeper) Write(piece []byte) (int, error) {
	_, _ = k.hash.Write(piece)
	k.bytes += len(piece)
	if k.bytes <= k.limit {
		_, _ = k.text.Write(piece)
	} else {
		k.text = bytes.Buffer{}
	}
	return len(piece), nil
}

// content returns what was written, with the text itself if the notebook may keep that much.
func (k *keeper) content(limits *budget) content {
	c := content{digest: digest(k.hash.Sum(nil)), bytes: k.bytes}
	if k.bytes <= min(k.limit, limits.bytes) {
		limits.bytes -= k.bytes
		c.text, c.kept = strings.ToValidUTF8(k.text.String(), "\ufffd"), true
	}
	return c
}

// unspaced drops line breaks and spaces, which base64 may have anywhere.
type unspaced struct{ to io.Writer }

func (u unspaced) Write(piece []byte) (int, error) {
	for line := range bytes.FieldsSeq(piece) {
		_, _ = u.to.Write(line)
	}
	return len(piece), nil
}
