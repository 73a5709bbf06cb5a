package preview

import (
	"testing"

	"cairn/internal/people/identity"
)

func TestAskers(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.1:5": "192.0.2.1", "[2001:db8::1]:5": "2001:db8::/64", "[2001:db8::2%eth0]:5": "2001:db8::/64",
		"[::ffff:192.0.2.1]:5": "192.0.2.1", "odd": "odd",
	} {
		if got := askerOf(t.Context(), remote); got != want {
			t.Errorf("%s: %s", remote, got)
		}
		if got := askerOf(identity.With(t.Context(), identity.Caller{AccountID: "id"}), remote); got != "id" {
			t.Error(got)
		}
	}
}
