package corpus

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
)

// Digest identifies a corpus: by the parameters and the first entries, so that a change of this package counts too.
func (c *Corpus) Digest() string {
	hash := sha256.New()
	encoder := json.NewEncoder(hash)
	_ = encoder.Encode(c.Parameters) // writing to a hash can't fail
	for number := range min(c.Entries, 100) {
		_ = encoder.Encode(c.Entry(number))
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// Write writes all entries as an import file: one JSON object per line.
func (c *Corpus) Write(ctx context.Context, out io.Writer) error {
	buffer := bufio.NewWriterSize(out, 1<<20)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	for number := range c.Entries {
		if number%10_000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := encoder.Encode(c.Entry(number)); err != nil {
			return err
		}
	}
	return buffer.Flush()
}
