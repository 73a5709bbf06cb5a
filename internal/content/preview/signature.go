package preview

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
)

// signer signs addresses for requests that can't carry a token: an <img>, a frame. Those who may read an entry get a
// signature for this entry, for a limited time, and for one of its authors if it is private. Rights are checked again
// when it is used: it becomes invalid when that author is removed, when the entry is deleted, and, if it was made for
// everybody, when the entry becomes private.
type signer struct {
	key     []byte // the same for all servers on one database
	purpose string
	now     func() time.Time
	// The end is rounded to steps, so that answers keep their ETag for that long. A signature is valid for at most life,
	// and at least one step less.
	step, life time.Duration
}

const (
	everybody = ""          // the reader in signatures of public entries
	operators = "operators" // and of hidden ones that they look at
)

// sign returns a signature for a reader of an entry, and when it ends, in seconds since 1970.
func (s signer) sign(r catalog.Entry, reader string) (expires int64, signature string) {
	switch {
	case r.Public():
		reader = everybody
	case !r.VisibleTo(reader): // they may read it anyway
		reader = operators
	}
	expires = s.now().Truncate(s.step).Add(s.life).Unix()
	return expires, s.signature(r.ID, reader, expires)
}

func (s signer) signature(id, reader string, expires int64) string {
	mac := hmac.New(sha256.New, s.key)
	_, _ = fmt.Fprintf(mac, "%s\n%s\n%d\n%s", s.purpose, id, expires, reader) // writing to a hash can't fail
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// madeFor returns for whom a signature was made; false unless they may read the entry now. It may have expired.
func (s signer) madeFor(r catalog.Entry, expires int64, signature string) (reader string, ok bool) {
	if r.State != catalog.StateActive || r.ForHost() { // its code host is asked who may read it now
		return "", false
	}
	readers := slices.Clone(r.Authors)
	if r.AddedBy != "" {
		readers = append(readers, r.AddedBy)
	}
	switch {
	case r.Public():
		readers = append([]string{everybody}, readers...)
	case r.Privacy == catalog.PrivacyPublic:
		readers = append([]string{operators}, readers...)
	}
	for _, one := range readers {
		if hmac.Equal([]byte(signature), []byte(s.signature(r.ID, one, expires))) {
			reader, ok = one, true
		}
	}
	return reader, ok
}

// ended reports whether a signature has expired.
func (s signer) ended(expires int64) bool { return s.now().Unix() >= expires }

// query returns the part of an address that lets a reader open it without a token.
func (s signer) query(r catalog.Entry, reader string) string {
	expires, signature := s.sign(r, reader)
	return fmt.Sprintf("expires=%d&signature=%s", expires, signature)
}

// signed reports whether a signature is one for somebody who may read the entry now.
func (s signer) signed(r catalog.Entry, expires int64, signature string) bool {
	_, good := s.madeFor(r, expires, signature)
	return good && !s.ended(expires)
}

// entry returns an entry for a caller who may see it, or for the holder of a signature, which may be "".
func (s signer) entry(ctx context.Context, entries Entries, id string, expires int64, signature string) (catalog.Entry, error) {
	resource, err := entries.Readable(ctx, id)
	if signature == "" || fault.KindOf(err) != fault.NotFound {
		return resource, err
	}
	found, loadErr := entries.LoadAny(ctx, []string{id})
	switch {
	case loadErr != nil:
		return catalog.Entry{}, loadErr
	case len(found) == 0 || !s.signed(found[0], expires, signature):
		return catalog.Entry{}, err
	default:
		return found[0], nil
	}
}
