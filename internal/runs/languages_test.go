package runs

import (
	"context"
	"testing"

	"cairn/internal/runs/executor"
)

// Packages are Python's, so they say nothing about a run in another language.
func TestRunInAnotherLanguage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.kernels(func(_ context.Context, source []byte, _ executor.Options) executor.Executed {
			executed := finished(string(source))
			executed.Kernel = executor.Kernel{Name: "ir", Language: "R", Version: "4.2.2"}
			return executed
		})
		w.work(w.service)
		if run := w.run(""); run.Verdict != Clean || run.Environment.Python != "" || len(run.Environment.Packages) != 0 || run.Environment.Digest == "" {
			t.Errorf("the run is %s in %+v", run.Verdict, run.Environment)
		}
	})
}
