package preview

import (
	"testing"
	"time"

	"cairn/internal/entries/catalog"
)

// A link that was signed for an author opens nothing once the code host is asked who may read the entry.
func TestSignedLinksOpenNothingThatTheCodeHostDecidesAbout(t *testing.T) {
	t.Parallel()
	s := signer{key: []byte("key"), purpose: "picture", now: time.Now, step: time.Minute, life: time.Hour}
	entry := catalog.Entry{ID: "one", Type: catalog.Repository, State: catalog.StateActive, Privacy: catalog.PrivacyPrivate, Authors: []string{"ada@example.org"}}
	expires, signature := s.sign(entry, "ada@example.org")
	if !s.signed(entry, expires, signature) {
		t.Error("the link of an author doesn't open their private entry")
	}
	entry.Audience = catalog.AudienceHost
	if s.signed(entry, expires, signature) {
		t.Error("it opens the entry once it is shown to those who can read its repository")
	}
}
