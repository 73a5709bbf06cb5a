package broker

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"cairn/internal/sessions/machine/jupyterkernel"
)

// notebook is the file whose kernel a kernel is.
type notebook struct {
	path     string    // "": not known
	modified string    // when it was changed last while somebody was there, as the server writes it; "": not known
	beside   string    // the file that has the outputs because others have changed the notebook; "": there is none
	rewrites []Rewrite // the last ones
}

// Rewrite says that the broker has changed a notebook's file, which a page that read it before may take for a change of somebody else.
type Rewrite struct {
	Before string `json:"before"` // when the file was changed last before
	After  string `json:"after"`  // and by it
}

// writeTries is how often a file is read anew because a page has saved it meanwhile.
const writeTries = 5

// rewritesKept is how many Rewrites pages are told of.
const rewritesKept = 100

// How long outputs of a kernel that nobody watches wait until they are in the file.
const (
	saveSoon  = time.Second      // when everything has ended
	saveLater = 30 * time.Second // while it goes on
)

// contentsPath is the path of a file in the server's API.
func contentsPath(file string) string {
	return "api/contents/" + (&url.URL{Path: file}).EscapedPath()
}

// findNotebook learns whose kernel it is.
func (k *kernel) findNotebook(ctx context.Context) {
	var open []struct {
		Path   string
		Kernel struct{ ID string }
	}
	if k.broker.server.Call(ctx, http.MethodGet, "api/sessions", nil, &open) != nil {
		return
	}
	for _, one := range open {
		if one.Kernel.ID == k.id && strings.HasSuffix(one.Path, ".ipynb") {
			k.mu.Lock()
			if k.notebook.path != one.Path {
				k.notebook = notebook{path: one.Path}
			}
			k.mu.Unlock()
			return
		}
	}
}

// noteFile remembers when the file was changed last, unless the broker has written it since it had written so often.
func (k *kernel) noteFile(ctx context.Context, writes int) {
	leave, err := k.broker.enterFiles(ctx) // what is written meanwhile would look like somebody else's
	if err != nil {
		return
	}
	defer leave()
	k.findNotebook(ctx)
	k.mu.Lock()
	file := k.notebook.path
	k.mu.Unlock()
	if file == "" {
		return
	}
	var about struct {
		Modified string `json:"last_modified"`
	}
	if k.broker.server.Call(ctx, http.MethodGet, contentsPath(file)+"?content=0", nil, &about) != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.notebook.path != file || k.writes != writes {
		return
	}
	k.notebook.modified, k.notebook.beside = about.Modified, ""
	// An editor that saves without this server's API is noticed by the file's date alone.
	if changed, err := time.Parse(time.RFC3339Nano, about.Modified); err == nil {
		k.record.settle(func(x *execution) bool { return x.seen && x.isBefore(changed) })
		k.changed()
	}
}

// saveMargin is how much later than an execution a file must be to have its outputs: a page may save while it still gets them.
const saveMargin = 10 * time.Second

// scheduleSave has the outputs written in a while. k.mu must be held.
func (k *kernel) scheduleSave() {
	if !slices.ContainsFunc(k.record.executions, func(x *execution) bool { return !x.written }) {
		return
	}
	wait := saveLater
	if !k.isBusy() {
		wait = saveSoon
		if k.saving != nil {
			k.saving.Stop()
			k.saving = nil
		}
	}
	if k.saving == nil {
		k.saving = time.AfterFunc(wait, func() {
			k.mu.Lock()
			k.saving = nil
			watched := k.isWatched()
			k.mu.Unlock()
			if !watched && k.broker.ctx.Err() == nil {
				_ = k.save(k.broker.ctx) // the next one, or the end of the session, tries again
			}
		})
	}
}

// save writes what the file doesn't have yet.
func (k *kernel) save(ctx context.Context) error {
	leave, err := k.broker.enterFiles(ctx)
	if err != nil {
		return err
	}
	defer leave()
	k.findNotebook(ctx)
	k.mu.Lock()
	about, saves := k.notebook, k.saves
	var unwritten []*execution
	var outputs []Execution
	for _, x := range k.record.executions {
		if !x.written {
			unwritten, outputs = append(unwritten, x), append(outputs, x.told())
			x.written = true // unless more comes meanwhile
		}
	}
	k.changed()
	k.mu.Unlock()
	if len(unwritten) == 0 || about.path == "" {
		return nil
	}
	done, err := k.broker.write(ctx, about, outputs, writeTries)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		for _, x := range unwritten {
			x.written = false
		}
		return err
	}
	if k.notebook.path == about.path {
		k.writes++
		if k.saves == saves {
			k.notebook.modified, k.notebook.beside = done.modified, done.beside
		}
		if done.rewrite != nil {
			k.notebook.rewrites = append(k.notebook.rewrites, *done.rewrite)
			k.notebook.rewrites = k.notebook.rewrites[max(0, len(k.notebook.rewrites)-rewritesKept):]
			for _, p := range k.pages {
				p.push(ownMessage(rewritesType, nil, map[string]any{"files": []Rewrite{*done.rewrite}}))
			}
		}
	}
	return nil
}

// written is what has become of the files.
type written struct {
	modified, beside string
	rewrite          *Rewrite
}

// fileModel is a notebook in the server's API.
type fileModel struct {
	Type     string          `json:"type"`
	Format   string          `json:"format"`
	Content  json.RawMessage `json:"content"`
	Modified string          `json:"last_modified,omitempty"`
}

// emptyNotebook is what a notebook has that was deleted.
const emptyNotebook = `{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`

// write writes outputs into a notebook. If somebody has changed its file since the last page left, they go into a copy beside it.
func (b *Broker) write(ctx context.Context, about notebook, outputs []Execution, tries int) (done written, err error) {
	done = written{modified: about.modified, beside: about.beside}
	target := about.path
	if about.beside != "" {
		target = about.beside
	}
	var model fileModel
	err = b.files.Call(ctx, http.MethodGet, contentsPath(target)+"?type=notebook&content=1", nil, &model)
	switch {
	case jupyterkernel.StatusOf(err) == http.StatusNotFound: // it was deleted, or has another name
		model = fileModel{Content: json.RawMessage(emptyNotebook)}
		done.beside = besideName(about.path, b.now())
	case err != nil:
		return done, err
	case target == about.path && about.modified != "" && model.Modified != about.modified:
		done.beside = besideName(about.path, b.now())
	}
	if done.beside != "" {
		target = done.beside
	}
	var content map[string]any
	decoder := json.NewDecoder(bytes.NewReader(model.Content))
	decoder.UseNumber() // which stay as they are
	if err := decoder.Decode(&content); err != nil {
		return done, err
	}
	cells, _ := content["cells"].([]any)
	for _, one := range outputs {
		cells = place(cells, one)
	}
	nameCells(content, cells)
	content["cells"] = cells
	sent := fileModel{Type: "notebook", Format: "json"}
	if sent.Content, err = json.Marshal(content); err != nil {
		return done, err
	}
	var now, saved struct {
		Modified string `json:"last_modified"`
	}
	if target == about.path {
		if err := b.server.Call(ctx, http.MethodGet, contentsPath(target)+"?content=0", nil, &now); err != nil {
			return done, err
		}
		if now.Modified != model.Modified && tries > 1 { // a page has saved meanwhile
			return b.write(ctx, about, outputs, tries-1)
		}
	}
	if err := b.server.Call(ctx, http.MethodPut, contentsPath(target), sent, &saved); err != nil {
		return done, err
	}
	if target == about.path {
		done.modified, done.rewrite = saved.Modified, &Rewrite{Before: model.Modified, After: saved.Modified}
	}
	return done, nil
}

// nameCells gives an id to each cell without one, where the notebook's format wants that: the server would do so after it has signed the
// file, which then wouldn't be trusted. Notebook 6 saves new cells without.
func nameCells(content map[string]any, cells []any) {
	major, _ := content["nbformat"].(json.Number)
	minor, _ := content["nbformat_minor"].(json.Number)
	if number, err := minor.Int64(); err != nil || major != "4" || number < 5 {
		return
	}
	for _, one := range cells {
		if fields, ok := one.(map[string]any); ok && (fields["id"] == nil || fields["id"] == "") {
			fields["id"] = strings.ToLower(rand.Text()[:8])
		}
	}
}

// besideName is the name of the copy of a notebook that others have changed.
func besideName(file string, now time.Time) string {
	extension := path.Ext(file)
	return strings.TrimSuffix(file, extension) + " (finished " + now.Format("2006-01-02 15.04") + ")" + extension
}

// place puts the outputs of an execution into its cell, which gets the code too where it's new.
func place(cells []any, x Execution) []any {
	index, isNew := x.cellAmong(len(cells), func(at int) (id, code string, ok bool) {
		one, ok := cells[at].(map[string]any)
		if !ok || one["cell_type"] != "code" {
			return "", "", false
		}
		id, _ = one["id"].(string)
		return id, textOf(one["source"]), true
	})
	if index < 0 {
		return cells
	}
	if isNew {
		made := map[string]any{"cell_type": "code", "metadata": map[string]any{}, "source": x.Code}
		if x.Place.ID != "" {
			made["id"] = x.Place.ID
		}
		cells = slices.Insert(cells, index, any(made))
	}
	one, _ := cells[index].(map[string]any)
	outputs := []any{}
	for _, shown := range x.Outputs {
		delete(shown, "transient")
		outputs = append(outputs, shown)
	}
	switch {
	case x.Input != nil:
		outputs = append(outputs, note("This cell was waiting for input, and nobody was there.\n"))
	case x.Status == "lost":
		outputs = append(outputs, note("The kernel ended before this cell had finished.\n"))
	case x.Status == "aborted":
		outputs = append(outputs, note("This cell wasn't executed, because one before it had failed.\n"))
	}
	one["outputs"], one["execution_count"] = outputs, x.Count
	metadata, ok := one["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		one["metadata"] = metadata
	}
	metadata["trusted"] = true // the session's own kernel has made them; the server takes this away again
	return cells
}

// cellAmong returns the index of the cell of an execution: the one with its id, else the nearest with its code. Where that is missing,
// because the page never saved it, a new one belongs there. The index is -1 if it has no cell, because it's a console's. codeAt returns
// what is known of a cell, if it's one with code.
func (x Execution) cellAmong(count int, codeAt func(at int) (id, code string, ok bool)) (index int, isNew bool) {
	nearest := -1
	for at := range count {
		id, code, ok := codeAt(at)
		if !ok {
			continue
		}
		if x.Place != nil && x.Place.ID != "" && id == x.Place.ID {
			return at, false
		}
		if code != x.Code {
			continue
		}
		if nearest < 0 || x.Place != nil && x.Place.Index >= 0 && distance(at, x.Place.Index) < distance(nearest, x.Place.Index) {
			nearest = at
		}
	}
	switch {
	case nearest >= 0 || x.Place == nil:
		return nearest, false
	case x.Place.Index >= 0:
		return min(x.Place.Index, count), true
	}
	return count, true
}

func note(text string) map[string]any {
	return map[string]any{"output_type": "stream", "name": "stderr", "text": text}
}

func distance(one, other int) int { return max(one-other, other-one) }

// textOf returns a text of a notebook, which may be a list of lines.
func textOf(value any) string {
	switch text := value.(type) {
	case string:
		return text
	case []any:
		var all strings.Builder
		for _, line := range text {
			part, _ := line.(string)
			all.WriteString(part)
		}
		return all.String()
	}
	return ""
}

// saved is called when a page has saved the file; begun is when it sent it. What had ended by then, and was seen, is in the file.
func (k *kernel) saved(begun time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.saves++
	k.workedAt = k.broker.now()
	k.changed()
	k.notebook.modified, k.notebook.beside = "", "" // it's no conflict
	if slices.ContainsFunc(k.pages, func(p *page) bool { return p.isBehind(begun) }) {
		return // the next save settles it
	}
	k.record.settle(func(x *execution) bool { return x.done() && x.seen && x.ended.Before(begun) })
}

// close writes everything that no page has saved, at the end of the session.
func (k *kernel) close(ctx context.Context) error {
	k.mu.Lock()
	k.loseAll()
	k.mu.Unlock()
	return k.save(ctx)
}
