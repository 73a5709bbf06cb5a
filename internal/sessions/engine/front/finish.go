package front

import (
	"encoding/json"
	"errors"
	"net/http"

	"cairn/internal/sessions/machine/broker"
)

// FinishPath is where the rest of a notebook is executed: POST a broker.FinishRequest, which is answered with its broker.FinishState, or with
// 409 and a Refusal; GET the states of all; DELETE, with the query id, cancels one.
const FinishPath = "cairn/finish"

// Refusal says why a request to finish is refused.
type Refusal struct {
	Code string `json:"code"`
}

// The codes of a Refusal.
const (
	RefusedBusy     = "busy"
	RefusedChanged  = "changed"
	RefusedNoKernel = "no_kernel"
	RefusedNoFile   = "no_file"
	RefusedNoCell   = "no_cell"
)

var refusals = map[error]string{
	broker.ErrBusy: RefusedBusy, broker.ErrChanged: RefusedChanged, broker.ErrNoKernel: RefusedNoKernel, broker.ErrNoFile: RefusedNoFile, broker.ErrNoCell: RefusedNoCell,
}

// serveFinish answers at FinishPath.
func (f *front) serveFinish(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		send(w, http.StatusOK, f.broker.Finishes())
	case http.MethodDelete:
		f.broker.CancelFinish(r.URL.Query().Get("id"))
		w.WriteHeader(http.StatusNoContent)
	case http.MethodPost:
		var asked broker.FinishRequest
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&asked); err != nil {
			http.Error(w, "The request can't be read.", http.StatusBadRequest)
			return
		}
		state, err := f.broker.Finish(r.Context(), asked)
		for refused, code := range refusals {
			if errors.Is(err, refused) {
				send(w, http.StatusConflict, Refusal{code})
				return
			}
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		send(w, http.StatusAccepted, state)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func send(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client may have left
}
