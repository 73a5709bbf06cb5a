package jupyterhub

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
)

// askAgent calls the agent about a session that has a record.
func (e *Engine) askAgent(ctx context.Context, id, method, path string, send, receive any) error {
	if err := e.knows(ctx, id); err != nil {
		return err
	}
	return e.hub.callAgent(ctx, method, path, send, receive)
}

// knows returns ErrUnknownSession for a session without a record, and why the agent can't be used.
func (e *Engine) knows(ctx context.Context, id string) error {
	known, err := e.find(ctx, id)
	if err != nil {
		return err
	}
	if known == nil || known.read().Phase == "" {
		return engine.ErrUnknownSession
	}
	return e.agent.check()
}

// pathQuery returns a path of a version, which may be any bytes, as the agent takes it.
func pathQuery(path string) url.Values {
	return url.Values{"path": {base64.URLEncoding.EncodeToString([]byte(path))}}
}

// Versions implements engine.Versioner.
func (e *Engine) Versions(ctx context.Context, id string, filter engine.VersionFilter) ([]engine.Version, int, error) {
	query := pathQuery(filter.Path)
	query.Set("offset", strconv.Itoa(filter.Offset))
	query.Set("most", strconv.Itoa(filter.Most))
	var found agentapi.Versions
	err := e.askAgent(ctx, id, http.MethodGet, agentPath(id, "versions")+"?"+query.Encode(), nil, &found)
	if fault.KindOf(err) == fault.NotFound && e.knows(ctx, id) == nil { // the agent has nothing of it yet
		return nil, 0, nil
	}
	return found.Versions, found.Total, err
}

// Version implements engine.Versioner.
func (e *Engine) Version(ctx context.Context, id, version string) (found engine.Version, err error) {
	err = e.askAgent(ctx, id, http.MethodGet, agentPath(id, "versions", version), nil, &found)
	return found, err
}

// SaveVersion implements engine.Versioner.
func (e *Engine) SaveVersion(ctx context.Context, id, name string) (made engine.Version, err error) {
	if err := engine.CheckVersionName(name); err != nil {
		return engine.Version{}, err
	}
	err = e.askAgent(ctx, id, http.MethodPost, agentPath(id, "versions"), agentapi.Name{Name: name}, &made)
	return made, err
}

// VersionFiles implements engine.Versioner.
func (e *Engine) VersionFiles(ctx context.Context, id, version, path string) (list []engine.VersionFile, err error) {
	var found []agentapi.File
	err = e.askAgent(ctx, id, http.MethodGet, agentPath(id, "versions", version, "files")+"?"+pathQuery(path).Encode(), nil, &found)
	for _, one := range found {
		list = append(list, engine.VersionFile{Name: string(one.Name), Folder: one.Folder, Link: one.Link, Bytes: one.Bytes, Modified: one.Modified})
	}
	return list, err
}

// OpenVersion implements engine.Versioner.
func (e *Engine) OpenVersion(ctx context.Context, id, version, path string) (engine.VersionContent, error) {
	if err := e.knows(ctx, id); err != nil {
		return engine.VersionContent{}, err
	}
	if version == "" {
		version = agentapi.Now
	}
	opened := &remoteFile{ctx: ctx, hub: e.hub, path: agentPath(id, "versions", version, "content") + "?" + pathQuery(path).Encode()}
	header, err := opened.open()
	if err != nil {
		return engine.VersionContent{}, err
	}
	content := engine.VersionContent{ReadSeekCloser: opened, Digest: header.Get(agentapi.DigestHeader)}
	content.Bytes, err = strconv.ParseInt(header.Get(agentapi.BytesHeader), 10, 64)
	if err == nil {
		content.Modified, err = time.Parse(time.RFC3339Nano, header.Get(agentapi.ModifiedHeader))
	}
	if err != nil {
		_ = opened.Close()
		return engine.VersionContent{}, fault.Wrap(err, fault.Unavailable, "The answer of the hub's agent couldn't be read.")
	}
	opened.size = content.Bytes
	return content, nil
}

// remoteFile is a file that the agent sends. It is asked for again when another part of it is read.
type remoteFile struct {
	ctx  context.Context //nolint:containedctx // of the call that opened it, as long as its answer
	hub  *client
	path string
	size int64
	at   int64
	body io.ReadCloser // from at; nil: none is open
}

func (f *remoteFile) open() (http.Header, error) {
	var header http.Header
	if f.at > 0 {
		header = http.Header{"Range": {fmt.Sprintf("bytes=%d-", f.at)}}
	}
	response, err := f.hub.openAgent(f.ctx, http.MethodGet, f.path, nil, header) //nolint:bodyclose // Close does
	if err != nil {
		return nil, err
	}
	f.body = response.Body
	return response.Header, nil
}

// Read implements io.Reader.
func (f *remoteFile) Read(part []byte) (int, error) {
	if f.at >= f.size {
		return 0, io.EOF
	}
	if f.body == nil {
		if _, err := f.open(); err != nil {
			return 0, err
		}
	}
	count, err := f.body.Read(part)
	f.at += int64(count)
	if err == io.EOF && f.at < f.size {
		err = io.ErrUnexpectedEOF
	}
	return count, err
}

// Seek implements io.Seeker.
func (f *remoteFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return f.at, fmt.Errorf("there is nothing before the beginning of a file: %d", offset)
	}
	if offset != f.at {
		_ = f.Close()
	}
	f.at = offset
	return offset, nil
}

// Close implements io.Closer.
func (f *remoteFile) Close() error {
	if f.body == nil {
		return nil
	}
	body := f.body
	f.body = nil
	return body.Close()
}

// ArchiveVersion implements engine.Versioner.
func (e *Engine) ArchiveVersion(ctx context.Context, id, version string, w io.Writer) error {
	if err := e.knows(ctx, id); err != nil {
		return err
	}
	return e.hub.copyArchive(ctx, agentPath(id, "versions", version, "archive"), w)
}

// RestoreVersion implements engine.Versioner.
func (e *Engine) RestoreVersion(ctx context.Context, id string, restore engine.Restore) (string, error) {
	var written agentapi.Written
	err := e.askAgent(ctx, id, http.MethodPost, agentPath(id, "restore"), agentapi.Restore{Version: restore.Version, Path: []byte(restore.Path), InPlace: restore.InPlace}, &written)
	return string(written.Path), err
}

// StopBecause implements engine.Versioner.
func (e *Engine) StopBecause(ctx context.Context, id string, cause engine.VersionCause) error {
	return e.StopLaunch(ctx, id, math.MaxInt64, cause)
}

// Retire implements engine.Versioner. On a hub without an agent it is Remove.
func (e *Engine) Retire(ctx context.Context, id string) error {
	if !e.KeepsVersions() {
		return e.Remove(ctx, id)
	}
	known, err := e.find(ctx, id)
	if known == nil || err != nil {
		return err
	}
	if err := known.update(ctx, func(r *record) bool {
		if r.Phase == "" || r.Task == taskRemove || r.Task == taskRetire {
			return false
		}
		r.Task, r.Dirty = taskRetire, r.Dirty || r.Asked
		return true
	}); err != nil {
		return ignoreDropped(err)
	}
	e.driver.drive(known)
	return known.await(ctx, "The session is still being deleted. Its work is kept until then.", func(r *record) bool { return r.Task != taskRetire })
}

// Unretire implements engine.Versioner.
func (e *Engine) Unretire(ctx context.Context, id string) error {
	err := e.askAgent(ctx, id, http.MethodPost, agentPath(id, "unretire"), nil, nil)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// AssignOwner implements engine.Versioner.
func (e *Engine) AssignOwner(ctx context.Context, id, owner string) error {
	known, err := e.find(ctx, id)
	if known == nil || err != nil {
		return err
	}
	var refused error
	assigned := false
	if err := known.update(ctx, func(r *record) bool {
		assigned = false
		if r.Phase == "" || r.Spec.Owner != "" || r.Spec.Batch != nil || r.Task == taskRemove {
			return false
		}
		r.User = r.user()
		r.Spec.Owner = owner
		if refused = r.Spec.Validate(); refused != nil {
			return false
		}
		assigned = true
		return true
	}); err != nil || refused != nil || !assigned {
		return errors.Join(ignoreDropped(err), refused)
	}
	return e.hub.callAgent(ctx, http.MethodPut, agentPath(id, "owner"), agentapi.Owner{Owner: owner}, nil)
}

// History implements engine.Versioner.
func (e *Engine) History(ctx context.Context, owner string) (found engine.History, err error) {
	if kind, _ := e.agent.read(); kind == agentOlder {
		return engine.History{}, nil
	}
	if err := e.agent.check(); err != nil {
		return engine.History{}, err
	}
	err = e.hub.callAgent(ctx, http.MethodGet, "history?"+url.Values{"owner": {owner}}.Encode(), nil, &found)
	return found, err
}
