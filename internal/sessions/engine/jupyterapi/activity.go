// Package jupyterapi reads what a Jupyter server tells about itself, for every engine whose sessions are such servers.
package jupyterapi

import (
	"context"
	"time"

	"cairn/internal/sessions/engine"
)

// startingTime is how long a kernel that has not begun may count as busy: one that no browser joins never begins.
const startingTime = time.Minute

// Activity tells what happens in the session. The pages of Jupyter ask on their own for as long as they are open, so
// that it was asked is no activity; what kernels do is. Terminals are switched off. Our own questions do not count. ask
// reads the JSON answer of a path below the server's base.
func Activity(ctx context.Context, now time.Time, ask func(ctx context.Context, path string, answer any) error) (engine.Activity, error) {
	type process struct {
		LastActivity time.Time `json:"last_activity"`
		State        string    `json:"execution_state"`
		Connections  int       `json:"connections"`
	}
	var status struct{ Kernels int }
	if err := ask(ctx, "api/status", &status); err != nil {
		return engine.Activity{}, err
	}
	var processes []process
	if status.Kernels > 0 {
		if err := ask(ctx, "api/kernels?no_track_activity=1", &processes); err != nil {
			return engine.Activity{}, err
		}
	}
	var found engine.Activity
	for _, one := range processes {
		if one.LastActivity.After(found.LastAt) {
			found.LastAt = one.LastActivity
		}
		found.Connections += one.Connections
		starting := one.State == "starting" || one.State == "restarting"
		found.Busy = found.Busy || one.State == "busy" || (starting && now.Sub(one.LastActivity) < startingTime)
	}
	return found, nil
}
