// Package jupyterapi reads what a Jupyter server says about itself, for every engine whose sessions are such servers.
package jupyterapi

import (
	"context"
	"time"

	"cairn/internal/sessions/engine"
)

// Ask reads the JSON answer of a path below a server's base.
type Ask func(ctx context.Context, path string, answer any) error

// kernelsPath lists the kernels without counting as activity.
const kernelsPath = "api/kernels?no_track_activity=1"

type kernel struct {
	ID           string
	LastActivity time.Time `json:"last_activity"`
	State        string    `json:"execution_state"` // the last one that the server heard; Idle knows better
	Connections  int
}

// Activity reports what happens in the session. The pages of Jupyter ask on their own for as long as they are open, so
// that it was asked is no activity; what kernels do is, and what is typed into terminals and printed there. A server without
// terminals isn't asked for them. Our own questions do not count.
func Activity(ctx context.Context, ask Ask, terminals bool) (engine.Activity, error) {
	var status struct{ Kernels int }
	if err := ask(ctx, "api/status", &status); err != nil {
		return engine.Activity{}, err
	}
	var kernels []kernel
	if status.Kernels > 0 {
		if err := ask(ctx, kernelsPath, &kernels); err != nil {
			return engine.Activity{}, err
		}
	}
	var open []struct {
		LastActivity time.Time `json:"last_activity"`
	}
	if terminals {
		if err := ask(ctx, "api/terminals", &open); err != nil {
			return engine.Activity{}, err
		}
	}
	var found engine.Activity
	for _, one := range open {
		if one.LastActivity.After(found.LastAt) {
			found.LastAt = one.LastActivity
		}
	}
	for _, one := range kernels {
		if one.LastActivity.After(found.LastAt) {
			found.LastAt = one.LastActivity
		}
		found.Connections += one.Connections
		found.Busy = found.Busy || one.State == "busy"
	}
	return found, nil
}
