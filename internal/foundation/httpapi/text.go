package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
)

// WriteText sends a dynamic text, or 304 to clients that have it, compressed for those that support it. It must not
// contain secrets, because its compressed size could reveal them (BREACH).
func WriteText(w http.ResponseWriter, r *http.Request, status int, kind string, text []byte) {
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("Cache-Control", "no-cache")
	header.Add("Vary", "Accept-Encoding")
	if status == http.StatusOK {
		digest := sha256.Sum256(text)
		// Weak, because it stands for every encoding.
		tag := `W/"` + base64.RawURLEncoding.EncodeToString(digest[:16]) + `"`
		header.Set("ETag", tag)
		if MatchesTag(r.Header.Get("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if Accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		text = Compressed(text)
	}
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
