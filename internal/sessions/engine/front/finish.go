package front

import (
	"encoding/json"
	"errors"
	"net/http"

	"cairn/internal/sessions/machine/broker"
)

// serveFinish answers at broker.FinishPath.
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
		for code, refused := range broker.Refusals {
			if errors.Is(err, refused) {
				send(w, http.StatusConflict, broker.Refusal{Code: code})
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
