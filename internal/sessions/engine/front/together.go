package front

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// together knows who has read and saved which files, so that of two people who work on one file neither loses what they saved. Jupyter
// asks whether to save over a newer file; whoever says yes has the older page.
type together struct {
	now func() time.Time

	saving [64]chan struct{} // each has an element while one of its files is saved: one save after the other

	// mu guards the fields below.
	mu      sync.Mutex
	saved   map[string]savedBy   // by path
	known   map[string]time.Time // when somebody had what is in a file, by who and path
	forgets time.Time            // before that, saves may have been forgotten
}

type savedBy struct {
	who string
	at  time.Time
}

// filesKnown is how many files are remembered; then it begins anew, and keeps a copy too many rather than one too few.
const filesKnown = 10_000

func newTogether() *together {
	t := &together{now: time.Now, saved: map[string]savedBy{}, known: map[string]time.Time{}}
	for i := range t.saving {
		t.saving[i] = make(chan struct{}, 1)
	}
	return t
}

// beginSaving waits until nobody else saves a file.
func (t *together) beginSaving(ctx context.Context, file string) (end func(), err error) {
	digest := fnv.New32a()
	_, _ = digest.Write([]byte(file))
	turn := t.saving[digest.Sum32()%uint32(len(t.saving))]
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// isBehind reports whether somebody else may have saved a file since this person read it.
func (t *together) isBehind(who, file string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.known[who+" "+file]
	last, ok := t.saved[file]
	if !ok {
		return !t.forgets.IsZero() && !known.After(t.forgets)
	}
	return last.who != who && !known.After(last.at)
}

// note notes that somebody has read or saved a file; began is when the reading began.
func (t *together) note(who, file string, saved bool, began time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= filesKnown || len(t.saved) >= filesKnown {
		clear(t.known)
		clear(t.saved)
		t.forgets = t.now()
	}
	if saved {
		began = t.now()
		t.saved[file] = savedBy{who, began}
		began = began.Add(time.Nanosecond) // they know what they saved
	}
	t.known[who+" "+file] = began
}

// keepOther keeps what is in a file beside it, because somebody is about to save over it who hasn't seen it. It returns the path of the
// copy; "" if there is nothing to keep.
func (f *front) keepOther(ctx context.Context, file string) (string, error) {
	server := jupyterkernel.NewServer(f.way.jupyter.JoinPath(f.way.prefix), "token "+f.way.token, f.way.transport)
	server.Limit = keepLimit
	at := func(file string) string { return "api/contents/" + (&url.URL{Path: file}).EscapedPath() }
	var model struct {
		Type    string          `json:"type"`
		Format  string          `json:"format"`
		Content json.RawMessage `json:"content"`
	}
	err := server.Call(ctx, http.MethodGet, at(file)+"?content=1", nil, &model)
	switch {
	case jupyterkernel.StatusOf(err) == http.StatusNotFound || err == nil && model.Type == "directory":
		return "", nil
	case err != nil:
		return "", err
	}
	extension := path.Ext(file)
	name := strings.TrimSuffix(file, extension) + " (other version " + f.together.now().Format("2006-01-02 15.04.05") + ")"
	for number := 1; number <= copiesASecond; number++ {
		kept := name + extension
		if number > 1 {
			kept = name + " " + strconv.Itoa(number) + extension
		}
		if err := server.Call(ctx, http.MethodGet, at(kept)+"?content=0", nil, nil); err == nil {
			continue
		} else if jupyterkernel.StatusOf(err) != http.StatusNotFound {
			return "", err
		}
		return kept, server.Call(ctx, http.MethodPut, at(kept), model, nil)
	}
	return "", errors.New("there are too many copies of the file")
}

// copiesASecond is how many copies of a file may be made in one second.
const copiesASecond = 20

// keepLimit is the most bytes of a file of which a copy is kept.
const keepLimit = 256 << 20

// keepTime is how long that may take.
const keepTime = time.Minute

// keepBoth keeps both versions when a save would overwrite somebody else's. It reports whether the request may go on, else it has answered.
func (f *front) keepBoth(w http.ResponseWriter, r *http.Request, who, file string) bool {
	if !f.together.isBehind(who, file) {
		return true
	}
	ctx, cancel := context.WithTimeout(r.Context(), keepTime)
	defer cancel()
	kept, err := f.keepOther(ctx, file)
	if err != nil {
		send(w, http.StatusConflict, map[string]any{
			"message": "Somebody else has saved this file after you opened it, and a copy of their version couldn't be made, so yours wasn't saved over it. Save it under another name.",
			"reason":  nil,
		})
		return false
	}
	if kept != "" {
		w.Header().Set(engine.KeptHeader, (&url.URL{Path: kept}).EscapedPath())
	}
	return true
}
