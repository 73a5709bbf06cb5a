package agent

import (
	"archive/zip"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/engine/jupyterprogram"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/workarchive"
)

// bodyLimit bounds what a server sends: a permit names up to some hundred datasets, and a notebook may hold pictures.
const bodyLimit = 32 << 20

// Handler answers the calls of servers and of the hub's hook, below agentapi.Path. All need the token.
func (a *Agent) Handler() http.Handler {
	calls, on := a.newCalls()
	on("GET", "{$}", func(w http.ResponseWriter, _ *http.Request) error {
		return send(w, agentapi.About{
			Protocol: agentapi.Protocol, Release: a.options.Release, Packages: a.options.Web != nil, R: a.options.R.Repository != "", Runs: a.runs != nil, Private: true,
		})
	})
	on("GET", "states", a.serveStates)
	on("GET", "history", func(w http.ResponseWriter, r *http.Request) error {
		found, err := a.History(r.Context(), r.URL.Query().Get("owner"))
		if err != nil {
			return err
		}
		return send(w, found)
	})
	on("PUT", "history", func(w http.ResponseWriter, r *http.Request) error {
		asked, err := read[agentapi.Limit](r)
		if err != nil {
			return err
		}
		if err := a.LimitHistory(r.Context(), asked.Owner, asked.Bytes); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	})
	on("GET", "{session}", a.serveArchive)
	on("DELETE", "{session}", a.serveRemove)
	on("POST", "{session}/prepare", a.servePrepare)
	a.pods.routes(on)
	on("PUT", "{session}/phase", a.servePhase)
	on("PUT", "{session}/owner", a.serveOwner)
	on("POST", "{session}/retire", a.serveKnown(func(known *session) error { return known.retire() }))
	on("POST", "{session}/unretire", a.serveKnown(func(known *session) error { return known.work.Unretire() }))
	on("POST", "{session}/restore", a.serveRestore)
	on("POST", "{session}/open", a.serveOpen)
	on("GET", "{session}/versions", a.serveVersions)
	on("POST", "{session}/versions", a.serveSave)
	on("GET", "{session}/versions/{version}", a.serveVersion)
	on("GET", "{session}/versions/{version}/files", a.serveFiles)
	on("GET", "{session}/versions/{version}/content", a.serveContent)
	on("GET", "{session}/versions/{version}/archive", a.serveVersionArchive)
	on("GET", "{session}/versions/{version}/export", func(w http.ResponseWriter, r *http.Request) error {
		out := &begun{ResponseWriter: w}
		return out.after(a.ExportWork(r.Context(), r.PathValue("session"), r.PathValue("version"), out))
	})
	on("PUT", "{session}/work", a.serveImport)
	on("PUT", "{session}/clone", a.serveClone)
	on("GET", "{session}/file", func(w http.ResponseWriter, r *http.Request) error { return serveFile(w, r, a.readFile) })
	others, onOther := a.newCalls() // whose paths don't begin with a session
	onOther("POST", "runs/head", a.serveHead)
	a.backupRoutes(onOther)
	if a.runs != nil {
		a.runs.routes(onOther)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(kind, "token") || subtle.ConstantTimeCompare([]byte(token), []byte(a.options.Token)) != 1 {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, agentapi.Path), "/"); first == "runs" || first == "backup" {
			others.ServeHTTP(w, r)
			return
		}
		calls.ServeHTTP(w, r)
	})
}

// newCalls returns calls, and what adds one by its method and its path below agentapi.Path.
func (a *Agent) newCalls() (calls *http.ServeMux, on func(method, path string, answer func(w http.ResponseWriter, r *http.Request) error)) {
	calls = http.NewServeMux()
	return calls, func(method, path string, answer func(w http.ResponseWriter, r *http.Request) error) {
		calls.HandleFunc(strings.TrimSpace(method+" "+agentapi.Path+path), func(w http.ResponseWriter, r *http.Request) {
			if err := answer(w, r); err != nil {
				a.refuse(w, r, err)
			}
		})
	}
}

// refuse answers with an error, unless the answer has begun: then the connection is cut, so that nobody takes half of it for all.
func (a *Agent) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, errBegun) {
		a.options.Logger.Warn("an answer of the agent is cut", "path", r.URL.Path, "error", err)
		panic(http.ErrAbortHandler)
	}
	if fault.KindOf(err) == fault.Internal && r.Context().Err() == nil {
		a.options.Logger.Error("the agent can't answer", "path", r.URL.Path, "error", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(httpapi.StatusOf(r.Context(), err))
	_ = json.NewEncoder(w).Encode(agentapi.ProblemOf(err))
}

var errBegun = errors.New("the answer has begun")

func send(w http.ResponseWriter, body any) error {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		return errors.Join(err, errBegun)
	}
	return nil
}

func read[T any](r *http.Request) (body T, err error) {
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, bodyLimit)).Decode(&body); err != nil {
		return body, fault.Wrap(err, fault.Malformed, "The body of this call can't be read.")
	}
	return body, nil
}

// pathOf returns a path of a version, which may be any bytes.
func pathOf(r *http.Request) (string, error) {
	path, err := base64.URLEncoding.DecodeString(r.URL.Query().Get("path"))
	if err != nil {
		return "", fault.Wrap(err, fault.Malformed, "The path must be base64url.")
	}
	return string(path), nil
}

// known returns the session of a call; ErrUnknownSession.
func (a *Agent) known(r *http.Request) (*session, error) {
	if known := a.find(r.PathValue("session")); known != nil {
		return known, nil
	}
	return nil, engine.ErrUnknownSession
}

func (a *Agent) serveKnown(do func(*session) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		known, err := a.known(r)
		if err != nil {
			return err
		}
		return a.finish(w, r, func() error { return do(known) })
	}
}

// finish does what a call asks for, also if its caller has gone meanwhile.
func (a *Agent) finish(w http.ResponseWriter, r *http.Request, do func() error) error {
	done := make(chan error, 1)
	if !a.workers.Start(func() { done <- do() }) {
		return engine.ErrClosing
	}
	if err := await(r.Context(), done); err != nil {
		return err
	}
	a.tellState(w, r)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// tellState adds the state of a call's session to its answer, so that who changed something knows it at once.
func (a *Agent) tellState(w http.ResponseWriter, r *http.Request) {
	a.noteAll()
	if told, there := a.changes.told(r.PathValue("session")); there {
		if text, err := json.Marshal(told); err == nil {
			w.Header().Set(agentapi.StateHeader, string(text))
		}
	}
}

func (a *Agent) serveStates(w http.ResponseWriter, r *http.Request) error {
	asked := r.URL.Query()
	number, _ := strconv.ParseInt(asked.Get("after"), 10, 64)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(a.workers.Closing(), cancel)()
	told := a.changes.after(ctx, asked.Get("epoch"), number)
	if a.sandbox.Level().Mounts() { // sessions have the programs of this machine
		told.Kernels = jupyterprogram.Kernels()
	}
	return send(w, told)
}

// serveArchive answers with the work as a zip file: what the folder has now, or the last version if the folder isn't the work.
func (a *Agent) serveArchive(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("session")
	if !isSession(id) {
		return engine.ErrUnknownSession
	}
	known := a.find(id)
	w.Header().Set("Content-Type", "application/zip")
	out := &begun{ResponseWriter: w}
	if known != nil {
		if version := known.work.PendingVersion(); version != "" {
			return out.after(a.ArchiveVersion(r.Context(), id, version, out))
		}
	}
	folder := a.newSession(id).folder
	err := workarchive.Write(r.Context(), folder, folders.Work, out)
	if os.IsNotExist(err) && !out.wrote {
		if known == nil {
			return engine.ErrUnknownSession
		}
		err = zip.NewWriter(out).Close() // its first launch hasn't made the folder yet
	}
	if err != nil {
		err = fault.Wrap(err, fault.Unavailable, "The archive of the session's work couldn't be written. The work itself is kept: try again in a while.")
	}
	return out.after(err)
}

// begun is an answer that knows whether some of it was written.
type begun struct {
	http.ResponseWriter

	wrote bool
}

// Write implements io.Writer.
func (b *begun) Write(part []byte) (int, error) {
	b.wrote = b.wrote || len(part) > 0
	return b.ResponseWriter.Write(part)
}

// after returns an error of writing, which cuts the answer if it has begun.
func (b *begun) after(err error) error {
	if err != nil && b.wrote {
		return errors.Join(err, errBegun)
	}
	return err
}

func (a *Agent) serveRemove(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("session")
	if !isSession(id) {
		return engine.ErrUnknownSession
	}
	known := a.findOrMake(id)
	return a.finish(w, r, known.remove)
}

// servePrepare tells the steps of a launch in lines, until it's ready or can't be. A hook that goes away takes the launch back.
func (a *Agent) servePrepare(w http.ResponseWriter, r *http.Request) error {
	asked, err := read[agentapi.Prepare](r)
	if id := asked.Permit.Session; err == nil && (id != r.PathValue("session") || !isSession(id)) {
		err = fault.New(fault.Malformed, "The permit is that of another session.")
	}
	if err != nil {
		return err
	}
	if !a.workers.Begin() {
		return engine.ErrClosing
	}
	defer a.workers.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(a.workers.Closing(), cancel)()
	w.Header().Set("Content-Type", "application/x-ndjson")
	lines := newLines(w)
	prepared, err := a.findOrMake(asked.Permit.Session).prepare(ctx, asked, lines.tell)
	last := agentapi.Event{Done: &prepared}
	if err != nil {
		failure := a.failure(err)
		last = agentapi.Event{Failed: &failure}
	}
	lines.tell(last)
	return nil
}

func (a *Agent) serveOpen(w http.ResponseWriter, r *http.Request) error {
	known, err := a.known(r)
	if err != nil {
		return err
	}
	asked, err := read[agentapi.Open](r)
	if err != nil {
		return err
	}
	found, err := known.open(asked)
	if err != nil {
		return err
	}
	return send(w, found)
}

func (a *Agent) servePhase(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("session")
	asked, err := read[agentapi.Phase](r)
	if err != nil {
		return err
	}
	if !isSession(id) {
		return engine.ErrUnknownSession
	}
	known := a.findOrMake(id)
	return a.finish(w, r, func() error {
		switch asked.Phase {
		case engine.Ended:
			return known.end(asked)
		case engine.Running:
			_, err := known.setPhase(asked)
			return err
		case engine.Starting, engine.Failed, engine.Full:
		}
		return fault.New(fault.Malformed, "The phase must be running or ended.")
	})
}

func (a *Agent) serveOwner(w http.ResponseWriter, r *http.Request) error {
	known, err := a.known(r)
	if err != nil {
		return err
	}
	asked, err := read[agentapi.Owner](r)
	if err != nil {
		return err
	}
	return a.finish(w, r, func() error { return known.setOwner(asked.Owner) })
}

func (a *Agent) serveVersions(w http.ResponseWriter, r *http.Request) error {
	path, err := pathOf(r)
	if err != nil {
		return err
	}
	filter := engine.VersionFilter{Path: path}
	filter.Offset, _ = strconv.Atoi(r.URL.Query().Get("offset"))
	filter.Most, _ = strconv.Atoi(r.URL.Query().Get("most"))
	list, total, err := a.Versions(r.Context(), r.PathValue("session"), filter)
	if err != nil {
		return err
	}
	return send(w, agentapi.Versions{Versions: list, Total: total})
}

func (a *Agent) serveVersion(w http.ResponseWriter, r *http.Request) error {
	found, err := a.Version(r.Context(), r.PathValue("session"), r.PathValue("version"))
	if err != nil {
		return err
	}
	return send(w, found)
}

func (a *Agent) serveSave(w http.ResponseWriter, r *http.Request) error {
	asked, err := read[agentapi.Name](r)
	if err != nil {
		return err
	}
	made, err := a.SaveVersion(r.Context(), r.PathValue("session"), asked.Name)
	if err != nil {
		return err
	}
	a.tellState(w, r)
	return send(w, made)
}

func (a *Agent) serveFiles(w http.ResponseWriter, r *http.Request) error {
	path, err := pathOf(r)
	if err != nil {
		return err
	}
	found, err := a.VersionFiles(r.Context(), r.PathValue("session"), r.PathValue("version"), path)
	if err != nil {
		return err
	}
	list := []agentapi.File{}
	for _, one := range found {
		list = append(list, agentapi.File{Name: []byte(one.Name), Folder: one.Folder, Link: one.Link, Bytes: one.Bytes, Modified: one.Modified})
	}
	return send(w, list)
}

func (a *Agent) serveContent(w http.ResponseWriter, r *http.Request) error {
	path, err := pathOf(r)
	if err != nil {
		return err
	}
	version := r.PathValue("version")
	if version == agentapi.Now {
		version = ""
	}
	opened, err := a.OpenVersion(r.Context(), r.PathValue("session"), version, path)
	if err != nil {
		return err
	}
	defer opened.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set(agentapi.BytesHeader, strconv.FormatInt(opened.Bytes, 10))
	w.Header().Set(agentapi.ModifiedHeader, opened.Modified.Format(time.RFC3339Nano))
	w.Header().Set(agentapi.DigestHeader, opened.Digest)
	http.ServeContent(w, r, "", time.Time{}, opened)
	return nil
}

func (a *Agent) serveVersionArchive(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "application/zip")
	out := &begun{ResponseWriter: w}
	return out.after(a.ArchiveVersion(r.Context(), r.PathValue("session"), r.PathValue("version"), out))
}

// serveHead answers which commit a repository has now.
func (a *Agent) serveHead(w http.ResponseWriter, r *http.Request) error {
	asked, err := read[engine.Repository](r)
	if err != nil {
		return err
	}
	asked.LocalPath = ""
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(a.workers.Closing(), cancel)()
	commit, err := a.caches.repositories.Head(ctx, asked)
	if err != nil {
		return err
	}
	return send(w, agentapi.Head{Commit: commit})
}

// readFile is what engine.Runner's ReadFile is for the sessions of the hub.
func (a *Agent) readFile(_ context.Context, id, path string, most int64) ([]byte, error) {
	known := a.find(id)
	if known == nil {
		return nil, engine.ErrUnknownSession
	}
	return workarchive.ReadWork(known.folder, path, most)
}

func (a *Agent) serveImport(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("session")
	if !isSession(id) {
		return engine.ErrUnknownSession
	}
	known := a.findOrMake(id)
	known.turn.Lock()
	defer known.turn.Unlock()
	if err := known.work.MayImport(); err != nil {
		return err
	}
	known.mu.Lock()
	known.record.Owner = r.Header.Get(agentapi.OwnerHeader)
	known.mu.Unlock()
	if err := known.work.Import(r.Context(), r.Body); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *Agent) serveRestore(w http.ResponseWriter, r *http.Request) error {
	asked, err := read[agentapi.Restore](r)
	if err != nil {
		return err
	}
	written, err := a.RestoreVersion(r.Context(), r.PathValue("session"), engine.Restore{Version: asked.Version, Path: string(asked.Path), InPlace: asked.InPlace})
	if err != nil {
		return err
	}
	a.tellState(w, r)
	return send(w, agentapi.Written{Path: []byte(written)})
}
