package localjupyter

import (
	"context"
	"slices"
	"sync"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterprogram"
)

// kernelsKeep is how long it is remembered which kernels are installed: many entries are asked about in one answer.
const kernelsKeep = 5 * time.Second

// kernelList remembers the kernels that were found last.
type kernelList struct {
	mu    sync.Mutex
	read  time.Time // mu guards this and what follows
	found []engine.Kernel
}

// Kernels implements engine.KernelLister: those that Jupyter finds on this machine. Without a Jupyter there is Python's, for
// which Check says what to install.
func (e *Engine) Kernels(context.Context) []engine.Kernel {
	e.kernels.mu.Lock()
	defer e.kernels.mu.Unlock()
	if now := e.options.Now(); e.kernels.found == nil || now.Sub(e.kernels.read) >= kernelsKeep {
		e.kernels.read, e.kernels.found = now, []engine.Kernel{engine.Python}
		if program, err := jupyterprogram.Find(e.options.Jupyter); err == nil {
			e.kernels.found = program.Kernels()
		}
	}
	return slices.Clone(e.kernels.found)
}
