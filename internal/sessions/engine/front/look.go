package front

import "net/http"

// serveLook answers at broker.LookPath.
func (f *front) serveLook(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	asked := r.URL.Query()
	look, err := f.broker.Look(r.Context(), asked.Get("notebook"), asked.Get("have"))
	switch {
	case err != nil:
		http.Error(w, "The session's files can't be read.", http.StatusServiceUnavailable)
	case look == nil:
		w.WriteHeader(http.StatusNotModified)
	default:
		send(w, http.StatusOK, look)
	}
}
