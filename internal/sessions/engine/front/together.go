package front

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
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

	// mu guards the fields below.
	mu    sync.Mutex
	saved map[string]savedBy   // by path
	known map[string]time.Time // when somebody had what is in a file, by who and path
}

type savedBy struct {
	who string
	at  time.Time
}

// filesKnown is how many files are remembered; then it begins anew, and keeps a copy too many rather than one too few.
const filesKnown = 10_000

func newTogether() *together {
	return &together{now: time.Now, saved: map[string]savedBy{}, known: map[string]time.Time{}}
}

// isBehind reports whether somebody else has saved a file since this person read it.
func (t *together) isBehind(who, file string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, ok := t.saved[file]
	return ok && last.who != who && !t.known[who+" "+file].After(last.at)
}

// note notes that somebody has read or saved a file.
func (t *together) note(who, file string, saved bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) >= filesKnown {
		clear(t.known)
	}
	if len(t.saved) >= filesKnown {
		clear(t.saved)
	}
	now := t.now()
	if saved {
		t.saved[file] = savedBy{who, now}
		now = now.Add(time.Nanosecond) // they know what they saved
	}
	t.known[who+" "+file] = now
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
	kept := strings.TrimSuffix(file, extension) + " (other version " + f.together.now().Format("2006-01-02 15.04.05") + ")" + extension
	return kept, server.Call(ctx, http.MethodPut, at(kept), model, nil)
}

// keepLimit is the most bytes of a file of which a copy is kept.
const keepLimit = 256 << 20

// keepTime is how long that may take.
const keepTime = time.Minute

// meets keeps both versions where a save meets one of somebody else's. It reports whether the request may go on, else it has answered.
func (f *front) meets(w http.ResponseWriter, r *http.Request, who, file string) bool {
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
