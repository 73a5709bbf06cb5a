package apptest

import (
	"strings"
	"testing"

	"cairn/internal/sessions"
)

// Ends checks the words of a session, as tests may.
func Ends(t *testing.T, s sessions.Session) {
	if !strings.HasSuffix(s.StatusReason, ".") {
		t.Error(s.StatusReason)
	}
}
