package runs

import (
	"context"
	"slices"
	"testing"

	"cairn/internal/runs/executor"
)

// ranIn lets kernels run a language, whatever the notebook asks for.
func (w *world) ranIn(kernel executor.Kernel) {
	w.kernels(func(_ context.Context, source []byte, _ executor.Options) executor.Executed {
		executed := finished(string(source))
		executed.Kernel = kernel
		return executed
	})
	w.work(w.service)
}

func TestRunInRNamesItsPackages(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.ranIn(executor.Kernel{Name: "ir", Language: "R", Version: "4.2"})
		run := w.run("")
		if made := run.Environment; run.Verdict != Clean || made.Python != "" || made.Language != "R" || made.Version != "4.2.2" || !slices.Equal(made.Packages, []string{"glue==1.6.2"}) {
			t.Errorf("the run is %s in %+v", run.Verdict, made)
		}
		const address = "https://cran.r-project.org/package=glue"
		crate := w.crateOf(run)
		if node := crate.nodes[address]; node["name"] != "glue" || node["softwareVersion"] != "1.6.2" || !slices.Contains(referred(crate.nodes["#kernel"]["softwareRequirements"]), address) {
			t.Errorf("the crate has %v for a package, and the kernel %v", node, crate.nodes["#kernel"])
		}
	})
}

// The packages of Python that a session has say nothing about a run in another language.
func TestRunInAnotherLanguageNamesNoPackages(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.ranIn(executor.Kernel{Name: "octave", Language: "octave", Version: "7.3.0"})
		if made := w.run("").Environment; made.Python != "" || made.Language != "octave" || made.Version != "7.3.0" || len(made.Packages) != 0 || made.Digest == "" {
			t.Errorf("it ran in %+v", made)
		}
	})
}
