package hosttest

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"cairn/internal/entries/codehost/githubtest"
)

// StartGitea serves a stand-in for Gitea and Forgejo, whose API is described at https://codeberg.org/api/swagger.
func StartGitea(t *testing.T, repositories []Repository) *StandIn {
	t.Helper()
	return start(t, repositories, answerGitea)
}

func answerGitea(s *StandIn, w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	missing := func() {
		sendJSON(w, http.StatusNotFound, map[string]any{"message": "not found", "url": s.URL + "/api/swagger"})
	}
	asks, isRefused := s.person(r)
	if isRefused {
		sendJSON(w, http.StatusUnauthorized, map[string]any{"message": "invalid username, password or token", "url": s.URL + "/api/swagger"})
		return
	}
	if s.answerGiteaPerson(w, r, asks) {
		return
	}
	asked := elements(r, "/api/v1/repos/")
	if len(asked) < 2 {
		missing()
		return
	}
	found, renamed := s.find(asked[0]+"/"+asked[1], asks)
	if found == nil {
		missing()
		return
	}
	asked = asked[2:]
	if renamed {
		http.Redirect(w, r, "/api/v1/repos/"+strings.Join(append(strings.Split(found.Name, "/"), asked...), "/")+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
		return
	}
	rest := strings.Join(asked[min(1, len(asked)):], "/")
	files := found.Branch(r.URL.Query().Get("ref"))
	kind := ""
	if len(asked) > 0 {
		kind = asked[0]
	}
	switch {
	case kind == "":
		sendJSON(w, http.StatusOK, map[string]any{
			"id": s.idOf(found), "full_name": found.Name, "private": found.Private, "internal": false, "default_branch": found.Default, "archived": false, "empty": isEmpty(found), "mirror": false,
			"size": found.Kilobytes, "topics": append([]string{}, found.Topics...), "licenses": []string{found.License}, "description": found.Description, "language": found.Language,
			"object_format_name": "sha1", "updated_at": "2026-01-02T03:04:05Z",
		})
	case kind == "languages":
		sizes := found.Languages
		if sizes == nil {
			sizes = map[string]int64{}
		}
		sendJSON(w, http.StatusOK, sizes)
	case kind == "branches" && rest == "":
		sendJSON(w, http.StatusOK, page(r, namesOf(branches(found)), "limit", 50))
	case kind == "tags" && rest == "":
		sendJSON(w, http.StatusOK, page(r, namesOf(found.Tags), "limit", 50))
	case kind == "branches" && slices.Contains(branches(found), rest):
		sendJSON(w, http.StatusOK, map[string]any{"name": rest, "commit": map[string]any{"id": found.Commit(rest)}})
	case kind == "tags" && slices.Contains(found.Tags, rest):
		sendJSON(w, http.StatusOK, map[string]any{"name": rest})
	case kind == "contents" && files != nil && !isEmpty(found):
		answerGiteaContents(w, found, files, rest)
	case kind == "raw" || kind == "media":
		content, ok := files[rest]
		if !ok || slices.Contains(found.Modules, rest) {
			missing()
			return
		}
		if stored, kept := found.Stored[rest]; kept && kind == "media" {
			content = stored
		}
		_, _ = strings.NewReader(content).WriteTo(w)
	default:
		missing()
	}
}

func answerGiteaContents(w http.ResponseWriter, found *Repository, files map[string]string, path string) {
	describe := func(one githubtest.Entry) map[string]any {
		each := map[string]any{"type": one.Type, "name": one.Name, "path": one.Path, "size": one.Size, "sha": one.SHA, "target": nil, "submodule_git_url": nil, "git_url": "x"}
		if target, isLink := found.Links[one.Path]; isLink {
			each["type"], each["target"] = "symlink", target
		} else if slices.Contains(found.Modules, one.Path) {
			each["type"], each["submodule_git_url"] = "submodule", "https://example.org/other/inner"
		}
		return each
	}
	if content, isFile := files[path]; isFile {
		sendJSON(w, http.StatusOK, describe(githubtest.Entry{Type: "file", Name: path[strings.LastIndex(path, "/")+1:], Path: path, Size: len(content)}))
		return
	}
	list := []map[string]any{}
	for _, one := range githubtest.EntriesOf(files, path) {
		list = append(list, describe(one))
	}
	if len(list) == 0 {
		sendJSON(w, http.StatusNotFound, map[string]any{"message": "not found"})
		return
	}
	sendJSON(w, http.StatusOK, list)
}

// answerGiteaPerson answers what isn't about a repository that exists; false if it is.
func (s *StandIn) answerGiteaPerson(w http.ResponseWriter, r *http.Request, asks *Person) bool {
	forbidden := func(scope string) {
		sendJSON(w, http.StatusForbidden, map[string]any{"message": "token does not have at least one of required scope(s), required=[" + scope + "]"})
	}
	path := strings.TrimPrefix(r.URL.Path, "/api/v1")
	switch {
	case asks == nil:
		return false
	case path == "/user" && !asks.may("read:user", "all"):
		forbidden("read:user")
	case path == "/user":
		sendJSON(w, http.StatusOK, map[string]any{"id": 7, "login": asks.Login})
	case path == "/notifications" && !asks.may("all"):
		forbidden("read:notification")
	case path == "/notifications":
		sendJSON(w, http.StatusOK, []any{})
	case r.Method == http.MethodPatch && !asks.may("write:repository", "all"):
		forbidden("write:repository")
	case path == "/repos/search" && !asks.may("read:repository", "write:repository", "all"):
		forbidden("read:repository")
	case path == "/repos/search":
		sendJSON(w, http.StatusOK, map[string]any{"ok": true, "data": []any{}})
	default:
		return false
	}
	return true
}
