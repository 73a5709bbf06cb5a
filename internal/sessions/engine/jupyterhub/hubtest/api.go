package hubtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var scopes = []string{
	"access:servers", "admin:server_state", "admin:servers", "admin:users", "delete:servers", "list:users", "read:hub", "read:servers",
	"read:users", "servers", "tokens", "users",
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]any{"status": status, "message": message})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (h *Hub) serveAPI(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/hub/api/"), "/")
	for i := range parts {
		parts[i], _ = url.PathUnescape(parts[i])
	}
	kind := r.Method + " " + parts[0]
	if len(parts) > 2 {
		kind += " " + parts[2]
	}
	stream := len(parts) == 5 && parts[4] == "progress"
	if stream {
		kind = "progress"
	}
	h.mu.Lock()
	h.calls[kind]++
	delay, hurry, failing, lacks := h.delay, h.hurry, h.failing, h.lacks
	h.mu.Unlock()
	if !stream {
		now := h.open.Add(1)
		defer h.open.Add(-1)
		for most := h.most.Load(); now > most && !h.most.CompareAndSwap(most, now); most = h.most.Load() {
		}
	}
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-hurry:
		case <-r.Context().Done():
			return
		}
	}
	if failing != 0 {
		http.Error(w, http.StatusText(failing), failing)
		return
	}
	if r.URL.Path == "/hub/api/" {
		answer(w, http.StatusOK, map[string]string{"version": "3.0.0"})
		return
	}
	if r.Header.Get("Authorization") != "token "+h.Token {
		refuse(w, http.StatusForbidden, "Missing or invalid credentials.")
		return
	}
	switch {
	case parts[0] == "user":
		answer(w, http.StatusOK, map[string]any{"admin": false, "kind": "service", "name": "cairn", "session_id": nil, "scopes": without(scopes, lacks)})
	case parts[0] == "users" && len(parts) == 1:
		h.list(w, r)
	case parts[0] == "users" && len(parts) == 2:
		h.serveUser(w, r, parts[1])
	case parts[0] == "users" && parts[2] == "tokens":
		h.serveTokens(w, r, parts)
	case stream:
		h.progress(w, r, parts[1], parts[3])
	case parts[0] == "users" && len(parts) == 4 && parts[2] == "servers":
		h.serveNamed(w, r, parts[1], parts[3])
	case parts[0] == "cairn" && len(parts) == 2 && parts[1] == "about" && !h.before():
		answer(w, http.StatusOK, map[string]any{"environments": h.installs(), "fetches": true})
	case parts[0] == "cairn" && len(parts) == 4 && parts[1] == "environment":
		h.takeWishes(w, r, parts[2], parts[3])
	case parts[0] == "cairn" && len(parts) == 4 && parts[1] == "cancel":
		h.cancel(parts[2], parts[3])
		w.WriteHeader(http.StatusNoContent)
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(scope string) bool { return slices.Contains(some, scope) })
}

// active reports whether a user has a server that is up or on its way.
func (h *Hub) active(name string) bool {
	owner := h.users[name]
	for id := range owner.servers {
		if !h.settled(owner, id).stopped {
			return true
		}
	}
	return false
}

// list is the paginated list of users with a server that is up or on its way.
func (h *Hub) list(w http.ResponseWriter, r *http.Request) {
	offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	limit = min(max(limit, 1), 200)
	h.mu.Lock()
	defer h.mu.Unlock()
	items := []map[string]any{}
	total := 0
	for _, name := range sortedUsers(h.users) {
		if !h.active(name) {
			continue
		}
		if total >= offset && total < offset+limit {
			items = append(items, h.userModel(name, false))
		}
		total++
	}
	var next any
	if total > offset+limit {
		next = map[string]any{"offset": offset + limit, "limit": limit, "url": fmt.Sprintf("http://hub/hub/api/users?offset=%d", offset+limit)}
	}
	w.Header().Set("Content-Type", "application/jupyterhub-pagination+json")
	answer(w, http.StatusOK, map[string]any{
		"items": items, "_pagination": map[string]any{"offset": offset, "limit": limit, "total": total, "next": next},
	})
}

// userModel returns a user as the hub's API describes it. h.mu must be held.
func (h *Hub) userModel(name string, stopped bool) map[string]any {
	servers := map[string]any{}
	if stopped { // every user has one without a name
		servers[""] = map[string]any{
			"name": "", "ready": false, "stopped": true, "pending": nil, "url": "/user/" + name + "/", "progress_url": "/hub/api/users/" + name + "/server/progress",
			"user_options": map[string]any{}, "started": nil, "last_activity": nil, "state": map[string]any{},
		}
	}
	for id := range h.users[name].servers {
		if one := h.settled(h.users[name], id); stopped || !one.stopped {
			servers[id] = serverModel(name, id, one)
		}
	}
	return map[string]any{
		"kind": "user", "name": name, "admin": false, "groups": []string{}, "roles": []string{"user"}, "server": nil, "pending": nil,
		"created": time.Now().UTC(), "last_activity": nil, "auth_state": nil, "servers": servers,
	}
}

func serverModel(user, name string, one *server) map[string]any {
	var pending any
	if !one.ready && !one.stopped {
		pending = "spawn"
	}
	said := map[string]any{
		"launch": permitOf(one).Launch, "steps": one.steps(), "warning": one.warning, "exit": one.exit, "reason": one.reason, "missing": []string{}, "log": "",
		"code": one.code, "commit": "", "usage": map[string]int{"memory": 0, "peak": 0, "disk": 0},
	}
	if one.machine != nil && one.reason == "" {
		said["reason"], said["code"], said["missing"], said["log"] = one.machine.reason, one.machine.code, one.machine.missing, one.machine.log
		said["usage"] = one.machine.usage
	}
	return map[string]any{
		"name": name, "ready": one.ready, "stopped": one.stopped, "pending": pending, "url": "/user/" + user + "/" + name + "/",
		"progress_url": "/hub/api/users/" + user + "/servers/" + name + "/progress", "user_options": one.options,
		"started": one.since.UTC(), "last_activity": one.since.UTC(), "state": map[string]any{"pid": 1, "cairn": said},
	}
}

// permit is what our service asks a server to hold.
type permit struct {
	Session    string
	Launch     int64
	Repository repository
	Checkout   *repository
	Datasets   []struct{ ID, Unavailable string }
	Files      []string

	Environment bool
}

type repository struct{ URL, Folder, Ref string }

func (p permit) repository() repository {
	if p.Checkout != nil {
		return *p.Checkout
	}
	return p.Repository
}

func permitOf(one *server) permit {
	options := one.options
	if inner, nested := options["user_options"].(map[string]any); nested { // by a hub that knows no such key
		options = inner
	}
	text, _ := options["cairn"].(string)
	var asked permit
	_ = json.Unmarshal([]byte(text), &asked)
	return asked
}

// stepNames are those of the hub's hook.
func stepNames(asked permit, installs bool) []string {
	switch {
	case asked.repository().URL == "":
		return []string{"datasets", "server"}
	case installs && asked.Environment:
		return []string{"repository", "environment", "datasets", "server"}
	}
	return []string{"repository", "datasets", "server"}
}

func (s *server) steps() []map[string]any {
	list := []map[string]any{}
	for _, name := range stepNames(permitOf(s), s.installs) {
		state := "done"
		if s.machine != nil {
			state = cmp.Or(s.machine.states[name], "waiting")
		} else if name == "server" && !s.ready {
			state = "active"
		}
		list = append(list, map[string]any{"name": name, "state": state, "detail": ""})
	}
	return list
}

func (h *Hub) serveUser(w http.ResponseWriter, r *http.Request, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := h.users[name] != nil
	switch {
	case r.Method == http.MethodPost && known:
		refuse(w, http.StatusConflict, "User "+name+" already exists")
	case r.Method == http.MethodPost:
		h.users[name] = &user{servers: map[string]*server{}, tokens: map[string]string{}, notes: map[string]string{}}
		answer(w, http.StatusCreated, h.userModel(name, false))
	case !known:
		refuse(w, http.StatusNotFound, "Not Found")
	case r.Method == http.MethodDelete:
		delete(h.users, name)
		w.WriteHeader(http.StatusNoContent)
	default:
		answer(w, http.StatusOK, h.userModel(name, r.URL.Query().Has("include_stopped_servers")))
	}
}

func (h *Hub) serveTokens(w http.ResponseWriter, r *http.Request, parts []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	owner := h.users[parts[1]]
	switch {
	case owner == nil:
		refuse(w, http.StatusNotFound, "Not Found")
	case r.Method == http.MethodPost:
		var asked struct {
			Scopes []string
			Note   string
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		h.last++
		id, token := fmt.Sprintf("a%d", h.last), fmt.Sprintf("token-of-one-server-%08d", h.last)
		_, opens, _ := strings.Cut(strings.Join(asked.Scopes, ""), "access:servers!server=")
		owner.tokens[id], owner.notes[id], h.tokens[token] = token, asked.Note, opens
		answer(w, http.StatusCreated, map[string]any{
			"user": parts[1], "id": id, "kind": "api_token", "roles": []string{}, "scopes": asked.Scopes, "created": time.Now().UTC(), "last_activity": nil,
			"expires_at": nil, "note": asked.Note, "session_id": nil, "oauth_client": "JupyterHub", "token": token,
		})
	case r.Method == http.MethodGet:
		list := []map[string]any{}
		for id := range owner.tokens {
			list = append(list, map[string]any{"id": id, "note": owner.notes[id]})
		}
		answer(w, http.StatusOK, map[string]any{"api_tokens": list})
	case len(parts) < 4 || owner.tokens[parts[3]] == "":
		refuse(w, http.StatusNotFound, "Token not found")
	default:
		delete(h.tokens, owner.tokens[parts[3]])
		delete(owner.tokens, parts[3])
		w.WriteHeader(http.StatusNoContent)
	}
}

// namesOfSix are the names that JupyterHub 6 takes for new servers, up to 30 characters of them.
var namesOfSix = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

func (h *Hub) serveNamed(w http.ResponseWriter, r *http.Request, owner, name string) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	var options map[string]any
	_ = json.Unmarshal(body, &options)
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.settled(h.users[owner], name)
	starting := one != nil && !one.stopped && !one.ready
	switch {
	case h.users[owner] == nil:
		refuse(w, http.StatusNotFound, "Not Found")
	case r.Method == http.MethodPost && starting:
		w.WriteHeader(http.StatusAccepted)
	case r.Method == http.MethodPost && one != nil && one.ready:
		refuse(w, http.StatusBadRequest, owner+":"+name+" is already running")
	case r.Method == http.MethodPost && one == nil && h.six && (len(name) > 30 || !namesOfSix.MatchString(name)):
		refuse(w, http.StatusBadRequest, "Invalid server name: "+name)
	case r.Method == http.MethodPost && h.limit > 0 && len(h.servers()) >= h.limit:
		refuse(w, http.StatusTooManyRequests, "Active user limit exceeded. Try again in a few minutes.")
	case r.Method == http.MethodPost:
		if inner, nested := options["user_options"].(map[string]any); nested && h.six {
			options = inner
		}
		one = &server{options: options, since: time.Now(), installs: h.Machine != nil && h.Machine.Install != nil && !h.silent}
		h.users[owner].servers[name] = one
		if h.Machine != nil {
			h.launch(owner, name, one)
		}
		w.WriteHeader(http.StatusAccepted)
	case one == nil:
		refuse(w, http.StatusNotFound, owner+" has no server named '"+name+"'")
	case starting:
		refuse(w, http.StatusBadRequest, owner+":"+name+" is pending spawn, please wait")
	default:
		if !one.stopped {
			one.end(0)
		}
		if options["remove"] == true {
			delete(h.users[owner].servers, name)
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// progress streams the events of a launch.
func (h *Hub) progress(w http.ResponseWriter, r *http.Request, owner, name string) {
	tell := func(event map[string]any) {
		text, _ := json.Marshal(event)
		_, _ = fmt.Fprintf(w, "data: %s\n\n", text)
		_ = http.NewResponseController(w).Flush()
	}
	path := "/user/" + owner + "/" + name + "/"
	for begun := false; ; begun = true {
		h.mu.Lock()
		one := server{stopped: true}
		if found := h.settled(h.users[owner], name); found != nil {
			one = *found
		}
		news := map[string]any{"launch": permitOf(&one).Launch, "steps": one.steps(), "warning": ""}
		var later <-chan time.Time
		var changed <-chan struct{}
		if one.machine != nil {
			changed = one.machine.changed
			if one.machine.files != nil {
				news["files"], news["asks"], news["left"] = one.machine.files, one.machine.wished != nil, one.machine.left
			}
		} else {
			later = time.After(time.Until(one.since.Add(h.SpawnTime)))
		}
		h.mu.Unlock()
		switch {
		case one.ready:
			if news["files"] != nil { // a server of the stand-in may be ready before anybody listens
				tell(map[string]any{"progress": 90, "message": "server", "cairn": news})
			}
			tell(map[string]any{"progress": 100, "ready": true, "message": "Server ready at " + path, "html_message": "", "url": path})
			return
		case one.stopped && begun:
			tell(map[string]any{"progress": 100, "failed": true, "message": "Spawn failed"})
			return
		case one.stopped:
			refuse(w, http.StatusNotFound, "Not Found")
			return
		case !begun:
			w.Header().Set("Content-Type", "text/event-stream")
			tell(map[string]any{"progress": 0, "message": "Server requested"})
		}
		tell(map[string]any{"progress": 60, "message": "server", "cairn": news})
		select {
		case <-later:
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}
