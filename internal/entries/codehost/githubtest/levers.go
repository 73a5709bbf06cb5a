package githubtest

import (
	"encoding/json"
	"net/http"
	"time"
)

// serveLevers lets other programs do what Go tests do by methods: POST /test/repositories (a list of Repository), POST
// /test/disturb (a list of Disturbance), POST /test/limit ({"perHour", "remaining", "seconds"}), and GET
// /test/requests, which forgets them.
func (s *Server) serveLevers(w http.ResponseWriter, r *http.Request) {
	read := func(into any) bool {
		if err := json.NewDecoder(r.Body).Decode(into); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return false
		}
		return true
	}
	switch r.Method + " " + r.URL.Path {
	case "POST /test/repositories":
		var repositories []Repository
		if read(&repositories) {
			for _, one := range repositories {
				s.Put(one)
			}
		}
	case "POST /test/disturb":
		var disturbances []Disturbance
		if read(&disturbances) {
			s.Disturb(disturbances...)
		}
	case "POST /test/limit":
		var wanted struct{ PerHour, Remaining, Seconds int }
		if read(&wanted) {
			s.Limit(wanted.PerHour, wanted.Remaining, time.Now().Add(time.Duration(wanted.Seconds)*time.Second))
		}
	case "GET /test/requests":
		requests := s.Requests()
		if requests == nil {
			requests = []Request{}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(requests)
	default:
		http.NotFound(w, r)
	}
}
