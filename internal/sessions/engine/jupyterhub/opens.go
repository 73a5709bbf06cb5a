package jupyterhub

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/engine/opening"
	"cairn/internal/sessions/engine/requirements"
)

const (
	openTime      = 30 * time.Second // for everything that is asked of a server before its session runs
	contentsLimit = 16 << 20         // of one answer, such as a long list of files
)

// opened is what is found out about a session's server before the session runs.
type opened struct {
	opens, note string
	commit      string // "" if the hook doesn't tell it
	pages       engine.Interface
}

// resumeOpen puts the notebook of the spec into the work folder, and finds out which file opens, and in which pages. All of
// it is asked of the session's own server, so it happens with its user's rights, and works with every spawner.
func (l launch) resumeOpen(ctx context.Context, r record) (opened, error) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	found, err := l.choose(ctx, r)
	if err != nil {
		return opened{}, err
	}
	found.pages = l.engine.hub.pagesOf(ctx, r)
	if r.Spec.Repository.URL != "" && l.session.read().Commit == "" { // its event may have come before anybody listened
		if model, _, err := l.engine.hub.server(ctx, r); err == nil && model.State.Cairn != nil && fullCommit.MatchString(model.State.Cairn.Commit) {
			found.commit = model.State.Cairn.Commit
		}
	}
	return found, nil
}

// choose puts the notebook into the work folder and finds out which file opens: by the agent, or on a hub of an earlier release by
// the session's server.
func (l launch) choose(ctx context.Context, r record) (found opened, err error) {
	if l.engine.agent.find(ctx) != agentOlder {
		return l.chooseByAgent(ctx, r)
	}
	files := contents{ctx: ctx, hub: l.engine.hub, record: r}
	if err := l.placeNotebook(ctx, files); err != nil {
		return opened{}, err
	}
	declared := ""
	if folder := r.Spec.Repository.Folder; folder != "" {
		declared = requirements.Open(files.below(folder), l.engine.options.Descriptors)
	}
	found.opens, found.note = opening.Choose(files, r.Spec, declared)
	return found, nil
}

func (l launch) chooseByAgent(ctx context.Context, r record) (found opened, err error) {
	now := l.session.read()
	repository := r.Spec.Repository
	asked := agentapi.Open{
		Repository: agentapi.Repository{URL: repository.URL, Folder: repository.Folder, Ref: repository.Ref}, File: r.Spec.Open,
		Notebook: r.Spec.Notebook.Name, Descriptors: l.engine.options.Descriptors,
	}
	if !now.Given {
		asked.Content = now.Notebook
	}
	var opens agentapi.Opens
	for pause := shortestPause; ; pause = min(2*pause, longestPause) { // the agent may be starting
		err := l.engine.hub.callAgent(ctx, http.MethodPost, agentPath(r.Spec.ID, "open"), asked, &opens)
		if err == nil {
			break
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return opened{}, err
		}
		if fault.KindOf(err) != fault.Unavailable {
			return opened{}, err
		}
	}
	if len(asked.Content) > 0 {
		err = l.session.updateRecord(ctx, func(r *record) bool {
			r.Given, r.Notebook = true, nil
			return true
		})
	}
	return opened{opens: opens.File, note: opens.Note}, err
}

// placeNotebook puts the notebook into the work folder, unless something has its name, or it was put there before: then its
// user has removed it.
func (l launch) placeNotebook(ctx context.Context, files contents) error {
	now := l.session.read()
	if now.Given || len(now.Notebook) == 0 {
		return nil
	}
	name := now.Spec.Notebook.Name
	if _, err := files.Stat(name); err != nil {
		err = files.write(name, now.Notebook)
		if err != nil {
			return diagnosis.With(fault.Wrap(err, fault.Unavailable,
				"The notebook %s couldn't be put into the session: its server didn't store it. The session's disk may be full.", fault.Quote(name)), diagnosis.DiskFull)
		}
	}
	return l.session.updateRecord(ctx, func(r *record) bool {
		r.Given, r.Notebook = true, nil
		return true
	})
}

// pagesOf finds out which pages a server shows; "" if they can't be had.
func (c *client) pagesOf(ctx context.Context, r record) engine.Interface {
	for _, one := range []engine.Interface{engine.Classic, engine.Lab} {
		if status, err := c.askServer(ctx, r, one.Address(""), nil); err == nil && status == http.StatusOK {
			return one
		}
	}
	return ""
}

// contents reads and writes a session's work folder through Jupyter's contents API.
type contents struct {
	ctx    context.Context //nolint:containedctx // of one launch; fs.FS has no room for it
	hub    *client
	record record
}

var (
	_ fs.StatFS    = contents{}
	_ fs.ReadDirFS = contents{}
)

// model is Jupyter's description of a file or folder.
type model struct {
	Name    string          `json:"name"`
	Type    string          `json:"type"` // "directory", "notebook" or "file"
	Format  string          `json:"format"`
	Content json.RawMessage `json:"content"`
}

// entry is a model as package fs knows files.
type entry struct{ of model }

func (f entry) Name() string               { return f.of.Name }
func (f entry) Size() int64                { return 0 }
func (f entry) ModTime() time.Time         { return time.Time{} }
func (f entry) IsDir() bool                { return f.of.Type == "directory" }
func (f entry) Sys() any                   { return nil }
func (f entry) Type() fs.FileMode          { return f.Mode().Type() }
func (f entry) Info() (fs.FileInfo, error) { return f, nil }

func (f entry) Mode() fs.FileMode {
	if f.IsDir() {
		return fs.ModeDir
	}
	return 0
}

// ask sends a request about a path and decodes the model in the response.
func (c contents) ask(method, name, query string, send any) (found model, err error) {
	var body io.Reader = http.NoBody
	if send != nil {
		text, err := json.Marshal(send)
		if err != nil {
			return found, err
		}
		body = bytes.NewReader(text)
	}
	target := c.hub.target(c.record)
	address := (&url.URL{Path: "api/contents/" + name}).EscapedPath()
	request, err := http.NewRequestWithContext(c.ctx, method, target.URL.String()+c.record.Server+address+query, body)
	if err != nil {
		return found, err
	}
	request.Header.Set("Authorization", target.Authorization)
	request.Header.Set("Content-Type", "application/json")
	response, err := target.Transport.RoundTrip(request)
	if err != nil {
		return found, err
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusNotFound:
		return found, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	case response.StatusCode >= http.StatusMultipleChoices:
		return found, fmt.Errorf("%s: the session's server answers %s", name, response.Status)
	}
	return found, json.NewDecoder(io.LimitReader(response.Body, contentsLimit)).Decode(&found)
}

// Stat implements fs.StatFS.
func (c contents) Stat(name string) (fs.FileInfo, error) {
	found, err := c.ask(http.MethodGet, name, "?content=0", nil)
	return entry{found}, err
}

// ReadDir implements fs.ReadDirFS; Jupyter leaves out hidden files.
func (c contents) ReadDir(name string) ([]fs.DirEntry, error) {
	found, err := c.ask(http.MethodGet, name, "?type=directory", nil)
	if err != nil {
		return nil, err
	}
	var models []model
	err = json.Unmarshal(found.Content, &models)
	var entries []fs.DirEntry
	for _, one := range models {
		entries = append(entries, entry{one})
	}
	return entries, err
}

// Open implements fs.FS; nothing is read that way.
func (c contents) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

// below reads the texts of files in a folder.
func (c contents) below(folder string) requirements.Source {
	return func(name string) (string, error) {
		found, err := c.ask(http.MethodGet, path.Join(folder, name), "?type=file&format=text", nil)
		if err != nil {
			return "", nil //nolint:nilerr // it isn't there, or isn't what we look for
		}
		var text string
		return text, json.Unmarshal(found.Content, &text)
	}
}

// write writes a file as it is; as a notebook, Jupyter would change it.
func (c contents) write(name string, content []byte) error {
	_, err := c.ask(http.MethodPut, name, "", map[string]string{
		"type": "file", "format": "base64", "content": base64.StdEncoding.EncodeToString(content), "name": path.Base(name), "path": strings.TrimPrefix(name, "/"),
	})
	return err
}
