package hosttest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cairn/internal/entries/codehost/githubtest"
)

// StartGitLab serves a stand-in for GitLab: https://docs.gitlab.com/api/projects/, /api/repositories/ and /api/repository_files/.
func StartGitLab(t *testing.T, repositories []Repository) *StandIn {
	t.Helper()
	return start(t, repositories, answerGitLab)
}

func answerGitLab(s *StandIn, w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("RateLimit-Limit", "400")
	w.Header().Set("RateLimit-Remaining", "399")
	missing := func(what string) {
		sendJSON(w, http.StatusNotFound, map[string]string{"message": "404 " + what + " Not Found"})
	}
	asks, isRefused := s.person(r)
	if isRefused {
		sendJSON(w, http.StatusUnauthorized, map[string]string{"message": "401 Unauthorized"})
		return
	}
	if asks != nil && !strings.HasPrefix(r.URL.Path, "/api/v4/projects/") {
		s.answerGitLabPerson(w, r, asks)
		return
	}
	asked := elements(r, "/api/v4/projects/")
	if len(asked) == 0 {
		missing("")
		return
	}
	found, renamed := s.find(asked[0], asks)
	if id, err := strconv.ParseInt(asked[0], 10, 64); err == nil {
		for _, one := range s.repositories {
			if s.idOf(one) == id && asks.reads(one) {
				found = one
			}
		}
	}
	if found == nil {
		missing("Project")
		return
	}
	if renamed {
		http.Redirect(w, r, fmt.Sprintf("/api/v4/projects/%d", s.idOf(found)), http.StatusMovedPermanently)
		return
	}
	asked = asked[1:]
	query := r.URL.Query()
	switch {
	case len(asked) == 0:
		said := map[string]any{
			"id": s.idOf(found), "path_with_namespace": found.Name, "visibility": map[bool]string{true: "private", false: "public"}[found.Private], "default_branch": found.Default, "archived": false, "empty_repo": isEmpty(found),
			"description": found.Description, "topics": append([]string{}, found.Topics...), "star_count": 3, "last_activity_at": "2026-01-02T03:04:05.678Z",
		}
		if isEmpty(found) {
			said["default_branch"] = nil
		}
		sendJSON(w, http.StatusOK, said)
	case len(asked) == 1 && asked[0] == "languages":
		sizes, total := map[string]float64{}, int64(0)
		for _, size := range found.Languages {
			total += size
		}
		for name, size := range found.Languages {
			sizes[name] = float64(10_000*size/total) / 100
		}
		sendJSON(w, http.StatusOK, sizes)
	case asked[0] == "repository" && len(asked) == 2 && asked[1] == "branches":
		sendJSON(w, http.StatusOK, page(r, namesOf(branches(found)), "per_page", 100))
	case asked[0] == "repository" && len(asked) == 2 && asked[1] == "tags":
		sendJSON(w, http.StatusOK, page(r, namesOf(found.Tags), "per_page", 100))
	case asked[0] == "repository" && len(asked) == 3 && asked[1] == "branches":
		if !slices.Contains(branches(found), asked[2]) {
			missing("Branch")
			return
		}
		sendJSON(w, http.StatusOK, map[string]any{"name": asked[2], "commit": map[string]any{"id": found.Commit(asked[2])}})
	case asked[0] == "repository" && len(asked) == 3 && asked[1] == "tags":
		if !slices.Contains(found.Tags, asked[2]) {
			missing("Tag")
			return
		}
		sendJSON(w, http.StatusOK, map[string]any{"name": asked[2]})
	case asked[0] == "repository" && len(asked) == 2 && asked[1] == "tree":
		files := found.Branch(query.Get("ref"))
		if files == nil || isEmpty(found) {
			missing("Tree")
			return
		}
		list := []map[string]any{}
		for _, one := range githubtest.EntriesOf(files, query.Get("path")) {
			each := map[string]any{"id": one.SHA, "name": one.Name, "path": one.Path, "type": "blob", "mode": "100644"}
			if one.Type == "dir" {
				each["type"], each["mode"] = "tree", "040000"
			} else if _, isLink := found.Links[one.Path]; isLink {
				each["mode"] = "120000"
			} else if slices.Contains(found.Modules, one.Path) {
				each["type"], each["mode"] = "commit", "160000"
			}
			list = append(list, each)
		}
		sendJSON(w, http.StatusOK, page(r, list, "per_page", 100))
	case asked[0] == "repository" && len(asked) == 4 && asked[1] == "files" && asked[3] == "raw":
		content, ok := found.Branch(query.Get("ref"))[asked[2]]
		if !ok || slices.Contains(found.Modules, asked[2]) {
			missing("File")
			return
		}
		if stored, kept := found.Stored[asked[2]]; kept && query.Get("lfs") == "true" {
			content = stored
		}
		w.Header().Set("X-Gitlab-Size", strconv.Itoa(len(content)))
		_, _ = strings.NewReader(content).WriteTo(w)
	default:
		missing("")
	}
}

// answerGitLabPerson answers what isn't about a project.
func (s *StandIn) answerGitLabPerson(w http.ResponseWriter, r *http.Request, asks *Person) {
	switch r.URL.Path {
	case "/api/v4/personal_access_tokens/self":
		sendJSON(w, http.StatusOK, map[string]any{"id": 1, "scopes": asks.scopes("read_api", "read_repository")})
	case "/api/v4/user":
		sendJSON(w, http.StatusOK, map[string]any{"id": 7, "username": asks.Login})
	default:
		sendJSON(w, http.StatusNotFound, map[string]string{"message": "404 Not Found"})
	}
}
