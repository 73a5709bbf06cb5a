package batch_test

import (
	"testing"

	"cairn/internal/sessions/sessionstest"
)

// world adds what only the tests of this package need.
type world struct{ *sessionstest.World }

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{sessionstest.New(t)}
}

func eachWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	sessionstest.Each(t, func(t *testing.T, w *sessionstest.World) { test(t, &world{w}) })
}
