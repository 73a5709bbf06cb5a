package agent

import (
	"encoding/json"
	"net/http"
	"sync"

	"cairn/internal/sessions/engine/jupyterhub/agentapi"
)

// lines tells events to a hook, one on each line, as soon as they happen.
type lines struct {
	// mu guards the fields below.
	mu  sync.Mutex
	out *json.Encoder
	now *http.ResponseController
}

func newLines(w http.ResponseWriter) *lines {
	return &lines{out: json.NewEncoder(w), now: http.NewResponseController(w)}
}

// tell sends an event. A hook that doesn't listen any more has left: its request's context ends.
func (l *lines) tell(event agentapi.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out.Encode(event) == nil {
		_ = l.now.Flush()
	}
}
