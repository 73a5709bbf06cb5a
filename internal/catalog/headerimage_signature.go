package catalog

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"
)

// A picture of a private entry is asked for by an <img>, which cannot carry a token. So those who may read the entry get
// an address with a signature: made for one of its authors, for this entry, for a while. It stops being good when that
// author is none any more. Its end is rounded, so that lists keep their ETag for minutes.
const (
	signatureStep = 15 * time.Minute
	signatureLife = 2 * signatureStep // at most; at least one step
)

// sign gives a signature for an author and when it ends, in seconds since 1970.
func (h *HeaderImages) sign(id, author string) (expires int64, signature string) {
	end := h.options.Now().Truncate(signatureStep).Add(signatureLife)
	return end.Unix(), h.signature(id, author, end.Unix())
}

func (h *HeaderImages) signature(id, author string, expires int64) string {
	mac := hmac.New(sha256.New, h.key)
	_, _ = fmt.Fprintf(mac, "header-image\n%s\n%d\n%s", id, expires, author) // a hash takes everything
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// verify tells whether a signature was made for one of the present authors of an entry and has not ended.
func (h *HeaderImages) verify(r Resource, expires int64, signature string) bool {
	if h == nil || r.State != StateActive || h.options.Now().Unix() >= expires {
		return false
	}
	good := false
	for _, author := range r.Authors {
		if hmac.Equal([]byte(signature), []byte(h.signature(r.ID, author, expires))) {
			good = true
		}
	}
	return good
}
