package jupyterprogram

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/internal/sessions/engine"
)

// Kernels are found as Jupyter finds them: the first folder with a name counts, and anything that isn't a kernel is skipped.
func TestKernelsOfTheMachine(t *testing.T) {
	t.Parallel()
	own, shared := t.TempDir(), t.TempDir()
	write := func(data, name, spec string) {
		folder := filepath.Join(data, "kernels", name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "kernel.json"), []byte(spec), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(own, "ir-own", `{"argv":["R"],"display_name":"R of the operators","language":"R"}`)
	write(shared, "ir-own", `{"argv":["R"],"display_name":"another","language":"R"}`)
	write(shared, "octave-9", `{"argv":["octave"],"display_name":"Octave","language":"octave","metadata":{"x":[1]}}`)
	write(shared, "no-language", `{"argv":["x"],"display_name":"x"}`)
	write(shared, "no-program", `{"argv":[],"display_name":"x","language":"x"}`)
	write(shared, "not-json", `{`)
	write(shared, "a name", `{"argv":["x"],"display_name":"x","language":"x"}`)
	write(shared, "endless", `{"argv":["x"],"language":"x","display_name":"`+strings.Repeat("x", largestSpecFile)+`"}`)

	found := Program{data: []string{own, shared, filepath.Join(own, "absent")}}.Kernels()
	named := func(name string) engine.Kernel {
		at := slices.IndexFunc(found, func(one engine.Kernel) bool { return one.Name == name })
		if at < 0 {
			return engine.Kernel{}
		}
		return found[at]
	}
	for _, want := range []engine.Kernel{
		engine.Python,
		{Name: "ir-own", Language: "R", Label: "R of the operators"},
		{Name: "octave-9", Language: "octave", Label: "Octave"},
	} {
		if got := named(want.Name); got != want {
			t.Errorf("%s: got %+v, want %+v", want.Name, got, want)
		}
	}
	for _, name := range []string{"no-language", "no-program", "not-json", "a name", "endless"} {
		if got := named(name); got != (engine.Kernel{}) {
			t.Errorf("%s counts as a kernel: %+v", name, got)
		}
	}
	if !slices.IsSortedFunc(found, func(one, other engine.Kernel) int { return strings.Compare(one.Name, other.Name) }) {
		t.Errorf("not sorted: %+v", found)
	}
}

func TestKernelsAreBounded(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for at := range mostKernels + 10 {
		folder := filepath.Join(data, "kernels", "k"+strings.Repeat("x", at))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "kernel.json"), []byte(`{"argv":["x"],"language":"x"}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if found := (Program{data: []string{data}}).Kernels(); len(found) != mostKernels {
		t.Errorf("got %d kernels, want %d", len(found), mostKernels)
	}
}
