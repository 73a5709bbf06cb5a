package jupyterhub

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"cairn/internal/sessions/engine"
)

var _ engine.KernelLister = (*Engine)(nil)

// kernels are those that the hub's sessions have, as far as is known.
type kernels struct {
	// mu guards the fields below.
	mu   sync.Mutex
	told []engine.Kernel // by the agent, which knows those of its machine
	seen []engine.Kernel // in the session that started last for the first time, where the agent doesn't know them
}

// Kernels implements engine.KernelLister. Where sessions have their own image, these are the kernels of the last new session that
// this server launched; before the first, Python's alone.
func (e *Engine) Kernels(context.Context) []engine.Kernel {
	e.kernels.mu.Lock()
	defer e.kernels.mu.Unlock()
	for _, list := range [][]engine.Kernel{e.kernels.told, e.kernels.seen} {
		if len(list) > 0 {
			return slices.Clone(list)
		}
	}
	return []engine.Kernel{engine.Python}
}

// tell takes what the agent told.
func (k *kernels) tell(list []engine.Kernel) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.told = list
}

// The bounds of what is asked of a session for its kernels: it's its user's.
const (
	kernelsTime = 10 * time.Second
	mostKernels = 100
)

// see asks the server of a session for its kernels, unless the agent knows them, or it was launched before: its user may have put some into
// its home. A server that doesn't answer changes nothing.
func (k *kernels) see(ctx context.Context, hub *client, r record) {
	k.mu.Lock()
	known := len(k.told) > 0
	k.mu.Unlock()
	if known || r.Launch > 1 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, kernelsTime)
	defer cancel()
	var found struct {
		Kernels map[string]struct {
			Spec struct {
				Language string `json:"language"`
				Label    string `json:"display_name"`
			} `json:"spec"`
		} `json:"kernelspecs"`
	}
	if _, err := hub.askServer(ctx, r, "api/kernelspecs", &found); err != nil || len(found.Kernels) == 0 {
		return
	}
	list := []engine.Kernel{engine.Python} // under the name that it has everywhere: this session's may be its repository's
	for name, one := range found.Kernels {
		if name != "" && name != engine.Python.Name && one.Spec.Language != "" && len(list) < mostKernels {
			list = append(list, engine.Kernel{Name: name, Language: one.Spec.Language, Label: cmp.Or(one.Spec.Label, name)})
		}
	}
	slices.SortFunc(list, func(one, other engine.Kernel) int { return cmp.Compare(one.Name, other.Name) })
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen = list
}
