package localjupyter_test

import (
	"slices"
	"testing"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
)

// Octave has a kernel that nothing here knows of, and its kernelspec names Python in a way that only Jupyter resolves.
func TestThoroughWaysOctave(t *testing.T) {
	t.Parallel()
	b := newBench(t, withRealJupyter)
	b.open()
	octave := slices.IndexFunc(b.engine.Kernels(t.Context()), func(one engine.Kernel) bool { return one.Language == "octave" })
	if octave < 0 {
		t.Fatal("Octave's kernel isn't reported: scripts/setup.sh ways installs it.")
	}
	spec := b.running(b.url("working.git"))
	b.kernelsAreJupyters(spec.ID)
	target, err := b.engine.Target(t.Context(), spec.ID)
	if err != nil {
		t.Fatal(err)
	}
	kernel := enginetest.OpenKernelOf(t, target, "/s/"+spec.ID+"/", b.engine.Kernels(t.Context())[octave].Name)
	defer kernel.Close()
	b.wants("Octave", kernel.Run("printf('%d %s', sum([1 2 39]), pwd())"), "42 ")
}
