package githubtest

import (
	"crypto/sha1" //nolint:gosec // what git calls its objects
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	contentsLimit = 1_000 // entries that the contents API returns at most
	hourlyLimit   = 60
	tokenLimit    = 5_000
)

// answer sends the undisturbed answer.
func (s *Server) answer(w *recorder, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	elements, err := splitPath(r.URL.EscapedPath())
	if err != nil || len(elements) < 2 {
		w.problem(http.StatusNotFound, "Not Found")
		return
	}
	if elements[0] == "api" && elements[1] == "v3" { // the path on an Enterprise server
		elements = slices.Delete(elements, 1, 2)
	}
	authorization := r.Header.Get("Authorization")
	person, isPerson := s.people[strings.TrimPrefix(authorization, "Bearer ")]
	reads := rights{all: authorization == "Bearer "+Token, names: person.Reads}
	mayReadAll := reads.all || isPerson
	ref, wantsRaw := r.URL.Query().Get("ref"), strings.Contains(r.Header.Get("Accept"), "raw")
	switch {
	case authorization != "" && !mayReadAll:
		w.problem(http.StatusUnauthorized, "Bad credentials")
	case elements[0] == "raw":
		s.answerRaw(w, elements[1:], false, reads)
	case elements[0] == "media":
		s.answerRaw(w, elements[1:], true, reads)
	case elements[0] != "api":
		w.problem(http.StatusNotFound, "Not Found")
	case !s.count(w, mayReadAll):
		w.problem(http.StatusForbidden, "API rate limit exceeded for 192.0.2.1. (But here's the good news: Authenticated requests get a higher rate limit.)")
		return
	case isPerson && len(elements) == 2 && elements[1] == "user":
		if person.Scopes != "" {
			w.header.Set("X-OAuth-Scopes", person.Scopes)
		}
		w.json(map[string]any{"login": person.Login})
	case wantsRaw && len(elements) > 5 && elements[1] == "repos" && elements[4] == "contents":
		s.answerRaw(w, slices.Concat(elements[2:4], strings.Split(ref, "/"), elements[5:]), false, reads)
	default:
		s.answerCall(w, elements[1:], ref, reads)
	}
	if w.status != http.StatusOK {
		return
	}
	tag := `"` + digest(w.body) + `"`
	w.header.Set("ETag", tag)
	if strings.TrimPrefix(r.Header.Get("If-None-Match"), "W/") == tag {
		w.status, w.body = http.StatusNotModified, nil
		if mayReadAll && elements[0] == "api" {
			s.limit.used-- // a repeated question with a tag costs nothing
		}
	}
}

// splitPath keeps an escaped slash inside its element.
func splitPath(escaped string) ([]string, error) {
	elements := strings.Split(strings.Trim(escaped, "/"), "/")
	for i, element := range elements {
		plain, err := url.PathUnescape(element)
		if err != nil {
			return nil, err
		}
		elements[i] = plain
	}
	return elements, nil
}

// count counts a question against the limit and sets the headers that report it.
func (s *Server) count(w *recorder, hasToken bool) bool {
	if now := time.Now(); s.limit.perHour == 0 || !s.limit.reset.After(now) {
		perHour := max(s.limit.perHour, hourlyLimit)
		if hasToken {
			perHour = max(s.limit.perHour, tokenLimit)
		}
		s.limit = limit{perHour: perHour, reset: now.Add(time.Hour)}
	}
	allowed := s.limit.used < s.limit.perHour
	if allowed {
		s.limit.used++
	}
	w.header.Set("X-RateLimit-Limit", strconv.Itoa(s.limit.perHour))
	w.header.Set("X-RateLimit-Remaining", strconv.Itoa(s.limit.perHour-s.limit.used))
	w.header.Set("X-RateLimit-Used", strconv.Itoa(s.limit.used))
	w.header.Set("X-RateLimit-Reset", strconv.FormatInt(s.limit.reset.Add(time.Second-1).Unix(), 10))
	return allowed
}

// rights say which private repositories a caller may see.
type rights struct {
	all   bool
	names []string
}

func (r rights) repository(one *Repository) bool {
	return !one.Private || r.all || slices.Contains(r.names, one.Name)
}

// find returns a repository that the caller may see, also by a former name.
func (s *Server) find(name string, mayRead rights) (found *Repository, renamed bool) {
	for _, one := range s.repositories {
		former := slices.ContainsFunc(one.Former, func(other string) bool { return strings.EqualFold(other, name) })
		if (strings.EqualFold(one.Name, name) || former) && mayRead.repository(one) {
			return one, former
		}
	}
	return nil, false
}

// id is a repository's own id, which stays when Put replaces it by its former name.
func (s *Server) id(r *Repository) int {
	if r.ID != 0 {
		return r.ID
	}
	return 1000 + slices.Index(s.repositories, r)
}

func (s *Server) answerCall(w *recorder, elements []string, ref string, mayRead rights) {
	var found *Repository
	renamed := false
	switch {
	case len(elements) >= 3 && elements[0] == "repos":
		found, renamed = s.find(elements[1]+"/"+elements[2], mayRead)
		elements = elements[3:]
	case len(elements) >= 2 && elements[0] == "repositories":
		if at, err := strconv.Atoi(elements[1]); err == nil && at < len(s.repositories) {
			found, _ = s.find(s.repositories[at].Name, mayRead)
		}
		elements = elements[2:]
	}
	if found == nil {
		w.problem(http.StatusNotFound, "Not Found")
		return
	}
	if renamed {
		address := &url.URL{Path: fmt.Sprintf("/api/repositories/%d", slices.Index(s.repositories, found))}
		location := address.JoinPath(elements...).String()
		if ref != "" {
			location += "?ref=" + url.QueryEscape(ref)
		}
		w.header.Set("Location", location)
		w.status, w.body = http.StatusMovedPermanently, []byte(`{"message":"Moved Permanently"}`)
		return
	}
	switch {
	case len(elements) == 0:
		owner, name, _ := strings.Cut(found.Name, "/")
		visibility := "public"
		if found.Private {
			visibility = "private"
		}
		said := map[string]any{
			"id": s.id(found), "name": name, "description": found.Description, "topics": found.Topics,
			"license": map[string]any{"spdx_id": found.License}, "full_name": found.Name, "owner": map[string]any{"login": owner}, "private": found.Private,
			"visibility": visibility, "default_branch": found.Default, "html_url": "https://github.com/" + found.Name,
			"size": found.Kilobytes, "language": nil, "pushed_at": nil,
		}
		if found.Language != "" {
			said["language"] = found.Language
		}
		if found.PushedAt != "" {
			said["pushed_at"] = found.PushedAt
		}
		w.json(said)
	case len(elements) == 1 && elements[0] == "languages":
		sizes := map[string]int64{}
		maps.Copy(sizes, found.Languages)
		w.json(sizes)
	case len(elements) == 1 && elements[0] == "branches":
		w.json(named(append(slices.Sorted(maps.Keys(found.Branches)), found.Default)))
	case len(elements) == 1 && elements[0] == "tags":
		w.json(named(found.Tags))
	case len(elements) >= 4 && elements[0] == "git" && elements[1] == "ref" && elements[2] == "tags":
		name := strings.Join(elements[3:], "/")
		if !slices.Contains(found.Tags, name) {
			w.problem(http.StatusNotFound, "Not Found")
			return
		}
		w.json(map[string]any{"ref": "refs/tags/" + name})
	case len(elements) >= 2 && elements[0] == "branches":
		name := strings.Join(elements[1:], "/")
		if found.Commit(name) == "" {
			w.problem(http.StatusNotFound, "Branch not found")
			return
		}
		w.json(map[string]any{"name": name, "protected": false, "commit": map[string]any{"sha": found.Commit(name)}})
	case elements[0] == "contents":
		found.answerContents(w, ref, strings.Join(elements[1:], "/"))
	case len(elements) == 3 && elements[0] == "git" && elements[1] == "trees":
		found.answerTree(w, elements[2])
	default:
		w.problem(http.StatusNotFound, "Not Found")
	}
}

func named(names []string) []map[string]any {
	list := []map[string]any{}
	for _, name := range names {
		list = append(list, map[string]any{"name": name})
	}
	return list
}

// Branch returns the files of a branch; nil when it doesn't exist.
func (r *Repository) Branch(name string) map[string]string {
	if name != r.Default {
		return r.Branches[name]
	}
	files := map[string]string{}
	maps.Copy(files, r.Files)
	maps.Copy(files, r.Links)
	for _, path := range r.Modules {
		files[path] = ""
	}
	for folder, number := range r.Many {
		for i := range number {
			files[strings.TrimPrefix(fmt.Sprintf("%s/file-%05d.txt", folder, i), "/")] = fmt.Sprintf("file %d\n", i)
		}
	}
	return files
}

// Commit returns the id of a branch's commit, which is another one once its files are; "" if there is no such branch.
func (r *Repository) Commit(branch string) string {
	files := r.Branch(branch)
	if files == nil || len(files) == 0 && len(r.Branches) == 0 { // as in an empty repository
		return ""
	}
	said := []byte("commit " + branch)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		said = fmt.Appendf(said, "\x00%q %q", path, files[path])
	}
	return digest(said)
}

// Entry is an entry of a folder.
type Entry struct {
	Type string `json:"type"`
	Name string `json:"name"`
	Path string `json:"path"`
	Size int    `json:"size"`
	SHA  string `json:"sha"`

	GitURL any `json:"git_url"`
}

// EntriesOf returns the entries of a folder of these files, by name.
func EntriesOf(files map[string]string, folder string) []Entry {
	below := map[string]Entry{}
	prefix := strings.TrimPrefix(folder+"/", "/")
	for path, content := range files {
		rest, inside := strings.CutPrefix(path, prefix)
		name, _, isFolder := strings.Cut(rest, "/")
		// An impossible name is sent unchanged, as a hostile host would.
		if strings.HasPrefix(rest, "../") {
			name, isFolder = rest, false
		}
		if !inside {
			continue
		}
		one := Entry{Type: "file", Name: name, Path: prefix + name, Size: len(content), SHA: digest([]byte(content))}
		if isFolder {
			one = Entry{Type: "dir", Name: name, Path: prefix + name, SHA: digest([]byte("tree " + prefix + name))}
		}
		below[name] = one
	}
	entries := make([]Entry, 0, len(below))
	for _, one := range below {
		entries = append(entries, one)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries
}

func (r *Repository) answerContents(w *recorder, ref, path string) {
	files := r.Branch(ref)
	if files == nil {
		w.problem(http.StatusNotFound, "No commit found for the ref "+ref)
		return
	}
	if target, isLink := r.Links[path]; isLink {
		w.json(map[string]any{"type": "symlink", "name": path, "path": path, "size": len(target), "target": target})
		return
	}
	if content, isFile := files[path]; isFile {
		w.json(map[string]any{"type": "file", "name": path, "path": path, "size": len(content)})
		return
	}
	entries := EntriesOf(files, path)
	if len(entries) == 0 {
		w.problem(http.StatusNotFound, "Not Found")
		return
	}
	for i, one := range entries { // as the real API, which calls a submodule a file in lists
		entries[i].GitURL = "https://api.github.com/repos/" + r.Name + "/git/blobs/" + one.SHA
		if _, isLink := r.Links[one.Path]; isLink {
			entries[i].Type = "symlink"
		} else if slices.Contains(r.Modules, one.Path) {
			entries[i].GitURL = "https://api.github.com/repos/other/inner/git/trees/" + one.SHA
			if strings.Contains(one.Name, "elsewhere") { // on another host
				entries[i].GitURL = nil
			}
		} else if one.Type == "dir" {
			entries[i].GitURL = "https://api.github.com/repos/" + r.Name + "/git/trees/" + one.SHA
		}
	}
	w.json(entries[:min(len(entries), contentsLimit)])
}

// answerTree accepts a branch's name, or a folder's sha from entriesOf.
func (r *Repository) answerTree(w *recorder, sha string) {
	files, folder := r.Branch(sha), ""
	if files == nil {
		files = r.Branch(r.Default)
		for path := range files {
			for at, letter := range path {
				if letter == '/' && digest([]byte("tree "+path[:at])) == sha {
					folder = path[:at]
				}
			}
		}
		if folder == "" {
			w.problem(http.StatusNotFound, "Not Found")
			return
		}
	}
	type treeEntry struct {
		Type string `json:"type"`
		Path string `json:"path"`
		Mode string `json:"mode"`
		Size int    `json:"size,omitempty"`
		SHA  string `json:"sha"`
	}
	var tree []treeEntry
	for _, one := range EntriesOf(files, folder) {
		each := treeEntry{Type: "blob", Path: one.Name, Mode: "100644", Size: one.Size, SHA: one.SHA}
		if one.Type == "dir" {
			each.Type, each.Mode = "tree", "040000"
		} else if _, isLink := r.Links[one.Path]; isLink {
			each.Mode = "120000"
		} else if slices.Contains(r.Modules, one.Path) {
			each.Type, each.Mode = "commit", "160000"
		}
		tree = append(tree, each)
	}
	w.json(map[string]any{"sha": sha, "tree": tree, "truncated": false})
}

// answerRaw serves /owner/name/branch/path: the file itself, or what Git LFS keeps of it if there is such a thing.
func (s *Server) answerRaw(w *recorder, elements []string, stored bool, mayRead rights) {
	w.header.Set("Content-Type", "text/plain; charset=utf-8")
	if len(elements) >= 4 {
		if found, _ := s.find(elements[0]+"/"+elements[1], mayRead); found != nil {
			for at := 3; at < len(elements); at++ { // a branch may have slashes in its name
				content, ok := found.Branch(strings.Join(elements[2:at], "/"))[strings.Join(elements[at:], "/")]
				if kept, isKept := found.Stored[strings.Join(elements[at:], "/")]; ok && stored && isKept {
					content = kept
				}
				if ok && !slices.Contains(found.Modules, strings.Join(elements[at:], "/")) {
					w.body = []byte(content)
					return
				}
			}
		}
	}
	w.status, w.body = http.StatusNotFound, []byte("404: Not Found")
}

func (a *recorder) json(value any) {
	content, err := json.Marshal(value)
	if err != nil {
		panic(err) // made of plain values
	}
	a.header.Set("Content-Type", "application/json; charset=utf-8")
	a.body = content
}

func (a *recorder) problem(status int, message string) {
	a.json(map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest"})
	a.status = status
}

func digest(content []byte) string {
	sum := sha1.Sum(content) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])
}
