package broker

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	listEvery = 3 * time.Second // the files and kernels of a session are listed again, at most
	listTime  = 2 * time.Second // Jupyter's server may take to list its kernels

	lookLimit = 4 << 20 // bytes of an answer
)

// looks is what is kept for those who look at the session. It's brought up to date when somebody looks: otherwise it costs nothing.
type looks struct {
	seed     maphash.Seed // of the revisions: those of a broker before this one are others
	folder   string
	datasets string

	// mu guards the fields below. It's held while an answer is made: one after the other.
	mu       sync.Mutex
	listedAt time.Time
	files    []LookFile
	more     bool
	number   int                     // of this list of files; another one after each change
	kernels  map[string]listedKernel // that Jupyter's server has, by id
	read     lookedFile
}

// listedKernel is a kernel as Jupyter's server knows it.
type listedKernel struct {
	Path   string
	Kernel struct {
		ID           string
		State        string    `json:"execution_state"`
		LastActivity time.Time `json:"last_activity"`
	}
}

// lookedKernel is a kernel with its notebook.
type lookedKernel struct {
	LookNotebook

	id      string
	there   bool    // it has not ended, as far as is known
	kernel  *kernel // nil: nobody has been connected to it
	version int64
}

// Look returns what the session shows now, of a notebook by its path or, if that is "", of the one in which somebody worked last; nil if
// nothing has changed since the answer to the same question that had the revision have. It neither starts nor connects to kernels, writes
// no files, and isn't activity.
func (b *Broker) Look(ctx context.Context, notebook, have string) (*Look, error) {
	l := &b.looks
	l.mu.Lock()
	defer l.mu.Unlock()
	root, err := os.OpenRoot(l.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	b.list(ctx, root)
	all := b.lookedKernels()
	look := &Look{Notebooks: []LookNotebook{}, Files: l.files, MoreFiles: l.more}
	for _, one := range all {
		known := slices.ContainsFunc(look.Notebooks, func(other LookNotebook) bool { return other.Path == one.Path })
		if one.there && !known && l.isShown(one.Path) {
			look.Notebooks = append(look.Notebooks, one.LookNotebook)
		}
	}
	file, about := b.choose(root, notebook, look.Notebooks)
	all = slices.DeleteFunc(all, func(one lookedKernel) bool { return one.Path != file })
	if look.Revision = l.revision(look.Notebooks, file, about, all); look.Revision == have {
		return nil, nil
	}
	if about == nil {
		return look, nil
	}
	if !l.read.isOf(file, about) {
		l.read = readLooked(root, file, about)
	}
	look.Notebook = l.read.with(all, lookLimit-sizeOf(look))
	look.Notebook.IsBusy = slices.ContainsFunc(all, func(one lookedKernel) bool { return one.Busy })
	return look, nil
}

// revision returns the name of what is shown: of the notebooks, and of a file with its kernels.
func (l *looks) revision(notebooks []LookNotebook, file string, about fs.FileInfo, kernels []lookedKernel) string {
	var state maphash.Hash
	state.SetSeed(l.seed)
	for _, one := range notebooks {
		_, _ = fmt.Fprintf(&state, "%q %t %d\n", one.Path, one.Busy, one.WorkedAt.UnixNano())
	}
	_, _ = fmt.Fprintf(&state, "%d %q\n", l.number, file)
	if about != nil {
		_, _ = fmt.Fprintln(&state, about.Size(), about.ModTime().UnixNano())
	}
	for _, one := range kernels {
		_, _ = fmt.Fprintf(&state, "%q %d %t\n", one.id, one.version, one.Busy)
	}
	return strconv.FormatUint(state.Sum64(), 36)
}

// list lists the files and the kernels again, unless it has done so just now. b.looks.mu must be held.
func (b *Broker) list(ctx context.Context, root *os.Root) {
	l, now := &b.looks, b.now()
	if !l.listedAt.IsZero() && now.Sub(l.listedAt) < listEvery {
		return
	}
	l.listedAt = now
	files, more := l.walk(root)
	if l.files == nil || more != l.more || !slices.Equal(files, l.files) {
		l.files, l.more, l.number = files, more, l.number+1
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	var open []listedKernel
	if b.server.Call(ctx, http.MethodGet, "api/sessions?no_track_activity=1", nil, &open) != nil {
		return // what it had a moment ago will do
	}
	l.kernels = map[string]listedKernel{}
	for _, one := range open {
		if path.Ext(one.Path) == ".ipynb" {
			l.kernels[one.Kernel.ID] = one
		}
	}
}

// lookedKernels returns the kernels whose notebooks are known, the one in which somebody worked last first. b.looks.mu must be held.
func (b *Broker) lookedKernels() (all []lookedKernel) {
	b.mu.Lock()
	saved, savedAt := b.saved, b.savedAt
	b.mu.Unlock()
	unknown := map[string]bool{}
	for id := range b.looks.kernels {
		unknown[id] = true
	}
	add := func(one lookedKernel, connected bool) {
		if listed, ok := b.looks.kernels[one.id]; ok {
			one.Path, one.there = listed.Path, true
			one.Busy = one.Busy || !connected && listed.Kernel.State == "busy"
			if one.WorkedAt.IsZero() {
				one.WorkedAt = listed.Kernel.LastActivity
			}
		}
		if one.Path == saved && savedAt.After(one.WorkedAt) {
			one.WorkedAt = savedAt
		}
		if one.WorkedAt = one.WorkedAt.UTC(); one.Path != "" {
			all = append(all, one)
		}
	}
	for _, k := range b.all("") {
		k.mu.Lock()
		connected := k.server != nil
		one := lookedKernel{LookNotebook{k.notebook.path, k.isBusy(), k.workedAt}, k.id, connected, k, k.version}
		k.mu.Unlock()
		delete(unknown, k.id)
		add(one, connected)
	}
	for id := range unknown {
		add(lookedKernel{id: id}, false)
	}
	slices.SortFunc(all, func(one, other lookedKernel) int {
		return cmp.Or(other.WorkedAt.Compare(one.WorkedAt), strings.Compare(one.Path, other.Path), strings.Compare(one.id, other.id))
	})
	return all
}

// choose returns the notebook that is looked at, and what its file is like; nil: there is none. b.looks.mu must be held.
func (b *Broker) choose(root *os.Root, asked string, notebooks []LookNotebook) (file string, about fs.FileInfo) {
	if asked != "" {
		return asked, b.looks.stat(root, asked)
	}
	last := func(candidates []LookNotebook) (string, fs.FileInfo) {
		slices.SortStableFunc(candidates, func(one, other LookNotebook) int { return other.WorkedAt.Compare(one.WorkedAt) })
		for _, one := range candidates {
			if about := b.looks.stat(root, one.Path); about != nil {
				return one.Path, about
			}
		}
		return "", nil
	}
	b.mu.Lock()
	worked := []LookNotebook{{Path: b.saved, WorkedAt: b.savedAt}}
	b.mu.Unlock()
	if file, about = last(append(worked, notebooks...)); about != nil {
		return file, about
	}
	var others []LookNotebook // in which nobody has worked since the session began
	for _, one := range b.looks.files {
		if path.Ext(one.Path) == ".ipynb" {
			others = append(others, LookNotebook{Path: one.Path, WorkedAt: one.ModifiedAt})
		}
	}
	return last(others)
}

// stat returns what a notebook's file is like; nil if it isn't there, isn't one, or isn't shown.
func (l *looks) stat(root *os.Root, file string) fs.FileInfo {
	if path.Ext(file) != ".ipynb" || !fs.ValidPath(file) || !l.isShown(file) {
		return nil
	}
	about, err := root.Lstat(file)
	if err != nil || !about.Mode().IsRegular() {
		return nil
	}
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) { // a link may lead to the datasets
		if above, err := root.Lstat(folder); err != nil || !above.IsDir() {
			return nil
		}
	}
	return about
}

// isShown reports whether people who look may know of a file: it isn't hidden, and isn't in the datasets.
func (l *looks) isShown(file string) bool {
	return !strings.HasPrefix(file, ".") && !strings.Contains(file, "/.") && (l.datasets == "" || !strings.HasPrefix(file, l.datasets+"/"))
}

// sizeOf returns how many bytes a value takes in an answer.
func sizeOf(value any) int {
	text, _ := json.Marshal(value) // what is shown always can be
	return len(text)
}
