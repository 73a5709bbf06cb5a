package fair

import (
	"encoding/xml"
	"net/http"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

// The addresses outside of the API.
const (
	HarvestPath = "/oai"
	FeedPath    = "/feed.atom"
	CatalogPath = "/.well-known/api-catalog"
)

// harvestBody is the most that a harvester may post, in bytes.
const harvestBody = 16 << 10

// Harvests reports whether there is somebody to ask about harvests; without one, the protocol can't be spoken.
func (s *Service) Harvests() bool { return s.options.AdminEmail != "" }

// ServeHarvest answers OAI-PMH.
func (s *Service) ServeHarvest(w http.ResponseWriter, r *http.Request) {
	if !s.Harvests() {
		http.Error(w, "This catalog can't be harvested: the operators haven't set oai.admin_email.", http.StatusNotFound)
		return
	}
	arguments := r.URL.Query()
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		r.Body = http.MaxBytesReader(w, r.Body, harvestBody)
		if err := r.ParseForm(); err != nil {
			http.Error(w, "Send the arguments as application/x-www-form-urlencoded, at most 16 KiB.", http.StatusBadRequest)
			return
		}
		arguments = r.PostForm
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		http.Error(w, "Harvesters send GET or POST.", http.StatusMethodNotAllowed)
		return
	}
	answer, err := s.harvest(r.Context(), arguments)
	s.sendXML(w, r, "text/xml; charset=utf-8", answer, err)
}

// ServeFeed answers with the feed of the catalog.
func (s *Service) ServeFeed(w http.ResponseWriter, r *http.Request) {
	feed, err := s.feed(r.Context())
	s.sendXML(w, r, "application/atom+xml; charset=utf-8", feed, err)
}

func (s *Service) sendXML(w http.ResponseWriter, r *http.Request, kind string, value any, err error) {
	var text []byte
	if err == nil {
		text, err = xml.Marshal(value)
	}
	if err != nil {
		status := httpapi.StatusOf(r.Context(), err)
		if status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "60")
		}
		http.Error(w, fault.MessageOf(err), status)
		return
	}
	openToAll(w.Header())
	httpapi.WriteText(w, r, http.StatusOK, kind, append([]byte(xml.Header), text...))
}

// ServeCatalog answers with the interfaces of this server (RFC 9727).
func (s *Service) ServeCatalog(w http.ResponseWriter, r *http.Request) {
	site := s.options.Site()
	calls := node{
		"anchor": site.Public + site.Base, "service-desc": []node{{"href": site.Public + "/api/openapi.json", "type": "application/json"}},
		"service-doc": []node{{"href": site.Public + "/api/docs", "type": "text/html"}},
	}
	own := node{"anchor": site.Public + CatalogPath, "item": []node{{"href": site.Public + site.Base}, {"href": site.Public + FeedPath}}}
	contexts := []node{own, calls}
	if s.Harvests() {
		own["item"] = append(own["item"].([]node), node{"href": site.Public + HarvestPath}) //nolint:errcheck,forcetypeassert // set above
		contexts = append(contexts, node{
			"anchor": site.Public + HarvestPath, "service-meta": []node{{"href": site.Public + HarvestPath + "?verb=Identify", "type": "text/xml"}},
		})
	}
	text, err := plainJSON(node{"linkset": contexts})
	if err != nil {
		http.Error(w, fault.MessageOf(err), http.StatusInternalServerError)
		return
	}
	openToAll(w.Header())
	w.Header().Set("Link", linkHeader([]link{{"api-catalog", site.Public + CatalogPath, "", ""}}))
	httpapi.WriteText(w, r, http.StatusOK, linksetType+`; profile="https://www.rfc-editor.org/info/rfc9727"`, text)
}
