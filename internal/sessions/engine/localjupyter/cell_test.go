package localjupyter_test

import (
	"strings"

	"cairn/internal/sessions/engine/enginetest"
)

// kernel starts a fresh kernel of a session.
func (b *bench) kernel(id string) *enginetest.Kernel {
	b.Helper()
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	return enginetest.OpenKernel(b, target, "/s/"+id+"/")
}

// cell runs Python in a fresh kernel of the session and returns what it printed.
func (b *bench) cell(id, code string) string {
	b.Helper()
	running := b.kernel(id)
	defer running.Close()
	return running.Run(code)
}

// wants compares what a cell printed.
func (b *bench) wants(what, printed, want string) {
	b.Helper()
	if !strings.Contains(printed, want) {
		b.Errorf("%s: the cell printed %q, want %q in it", what, printed, want)
	}
}
