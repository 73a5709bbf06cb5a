package jupyterhub

import (
	"cmp"
	"context"
	"slices"
	"sync"

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

// Kernels implements engine.KernelLister. Where sessions have an image of their own, those are known that the session had which this
// server started last: Python's alone before the first.
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

// see asks the server of a session for its kernels, unless the agent knows them, or it was launched before: its user may have put some into
// its home. A server that doesn't answer changes nothing.
func (k *kernels) see(ctx context.Context, hub *client, r record) {
	k.mu.Lock()
	known := len(k.told) > 0
	k.mu.Unlock()
	if known || r.Launch > 1 {
		return
	}
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
	list := make([]engine.Kernel, 0, len(found.Kernels))
	for name, one := range found.Kernels {
		list = append(list, engine.Kernel{Name: name, Language: one.Spec.Language, Label: one.Spec.Label})
	}
	slices.SortFunc(list, func(one, other engine.Kernel) int { return cmp.Compare(one.Name, other.Name) })
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen = list
}
