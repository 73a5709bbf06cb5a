package origin

import (
	"context"
	"encoding/json"
	"net/http"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/jobs"
)

// Jobs is what the gateway asks of what goes on without its user.
type Jobs interface {
	// Finish has the rest of a notebook executed in one of the caller's sessions.
	Finish(ctx context.Context, sessionID string, asked jobs.FinishRequest) (jobs.Job, error)
	// Latest returns the job of a session that was asked for last; nil for none.
	Latest(ctx context.Context, sessionID string) (*jobs.Job, error)
	// Delete cancels one of the caller's jobs.
	Delete(ctx context.Context, id string) error
}

// The requests of a page that has its notebook executed to its end, or no longer.
var (
	finishRoute = "POST " + ownPath("{id}", "finish")
	cancelRoute = "POST " + ownPath("{id}", "finish/cancel")
)

// largestFinish is the maximum size of a request to finish a notebook.
const largestFinish = 16 << 10

// finish has the rest of a notebook executed, and answers like state.
func (g *Gateway) finish(w http.ResponseWriter, r *http.Request, id string) {
	var asked jobs.FinishRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, largestFinish)).Decode(&asked); err != nil {
		g.fail(w, r, id, fault.Wrap(err, fault.Malformed, "The request can't be read."))
		return
	}
	if _, err := g.Jobs.Finish(r.Context(), id, asked); err != nil {
		g.fail(w, r, id, err)
		return
	}
	g.state(w, r, id)
}

// cancelFinish ends the execution of a notebook, and answers like state.
func (g *Gateway) cancelFinish(w http.ResponseWriter, r *http.Request, id string) {
	job, err := g.Jobs.Latest(r.Context(), id)
	if err == nil && job != nil && job.EndedAt == nil {
		err = g.Jobs.Delete(r.Context(), job.ID)
	}
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	g.state(w, r, id)
}

// jobState is what a page says about a notebook that is executed without it, or was.
type jobState struct {
	ID       string  `json:"id"`
	File     string  `json:"file"`
	State    string  `json:"state"`
	Reason   string  `json:"reason,omitempty"`
	Done     int     `json:"done"` // cells with code
	Total    int     `json:"total"`
	Seconds  float64 `json:"seconds"`            // so far
	Expected float64 `json:"expected,omitempty"` // as long as the last time
}

// jobOf returns what a page says about the last job of a session.
func (g *Gateway) jobOf(ctx context.Context, id string) *jobState {
	job, err := g.Jobs.Latest(ctx, id)
	if err != nil || job == nil {
		return nil
	}
	return &jobState{
		ID: job.ID, File: job.File, State: string(job.State), Reason: job.Reason, Done: job.Cells.Done, Total: job.Cells.Total, Seconds: job.Seconds, Expected: job.ExpectedSeconds,
	}
}
