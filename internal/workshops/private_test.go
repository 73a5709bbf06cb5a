package workshops_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/sessions"
)

// readHere shows entries as those of private repositories that the caller can read.
type readHere struct{ sessions.Entries }

func (r readHere) Get(ctx context.Context, id string) (catalog.Resource, error) {
	entry, err := r.Entries.Get(ctx, id)
	entry.Privacy, entry.Audience = catalog.PrivacyPrivate, catalog.AudienceHost
	return entry, err
}

// Those who take seats couldn't read what the host of a workshop can.
func TestWorkshopsOfPrivateRepositoriesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.prepare(3, "")
	w.at.server.Resolver.Entries = readHere{w.at.server.Resolver.Entries}
	if refused := w.want(http.StatusUnprocessableEntity, http.MethodPost, "/workshops", "ann", w.draft(3, "")); !strings.Contains(refused.Body.String(), "private") {
		t.Errorf("a workshop of a private repository: %s", refused.Body)
	}
}
