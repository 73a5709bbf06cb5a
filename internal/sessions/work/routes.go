package work

import "cairn/internal/foundation/httpapi"

// Routes registers all operations on work and its versions.
func (s *Service) Routes(api *httpapi.API) {
	tags := []string{"Sessions"}
	s.workRoutes(api, tags)
	s.versionRoutes(api, tags)
}
