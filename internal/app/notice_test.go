package app

import (
	"context"
	"testing"
	"time"

	"cairn/internal/app/config"
)

func TestOnlyThoseWhoAreToldWaitForTheNotice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cause error
		demo  bool
		want  time.Duration
	}{
		"SIGTERM":             {ErrTerminated, false, 7 * time.Second},
		"Ctrl-C":              {nil, false, 0},
		"SIGTERM in the demo": {ErrTerminated, true, 0},
	} {
		p := &program{config: config.Config{Demo: test.demo, Shutdown: config.Shutdown{Notice: "7s"}}}
		ctx, end := context.WithCancelCause(t.Context())
		end(test.cause)
		if got := p.shutdownNotice(ctx); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
