package sizes

import (
	"context"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/engine"
)

// kernels is an engine with kernels of these languages beside Python's.
type kernels struct {
	engine.Engine

	languages []string
}

func (k kernels) Kernels(context.Context) []engine.Kernel {
	all := []engine.Kernel{engine.Python}
	for _, language := range k.languages {
		all = append(all, engine.Kernel{Name: language, Language: language, Label: language})
	}
	return all
}

// A notebook goes to the first engine that has a kernel for its language, unless somebody names an engine.
func TestEngineByLanguage(t *testing.T) {
	t.Parallel()
	engines := Engines{All: []Engine{
		{Name: "plain", Engine: struct{ engine.Engine }{}}, // it doesn't know its kernels
		{Name: "statistics", Engine: kernels{languages: []string{"R", "octave"}}},
	}}
	for _, c := range []struct {
		engine, language string
		want             string // "": language_missing
	}{
		{"", "", "plain"},
		{"", "python", "plain"},
		{"", "Python", "plain"},
		{"", "R", "statistics"},
		{"", "r", "statistics"},
		{"", "Octave", "statistics"},
		{"statistics", "R", "statistics"},
		{"statistics", "python", "statistics"},
		{"plain", "R", ""},
		{"", "julia", ""},
	} {
		got, _, err := engines.Choose(t.Context(), identity.Caller{}, Choice{Engine: c.engine, Language: c.language})
		if got.Name != c.want || (err != nil) != (c.want == "") || err != nil && fault.CodeOf(err) != fault.LanguageMissing {
			t.Errorf("%q on %q: got %q %v, want %q", c.language, c.engine, got.Name, err, c.want)
		}
	}
	for _, c := range []struct {
		language string
		spoken   []string
		want     string
	}{
		{"julia", []string{"python"}, "This notebook is written in Julia, and sessions here run Python only."},
		{"julia", []string{"python", "R", "python"}, "This notebook is written in Julia, and sessions here run Python and R."},
		{"julia", []string{"R", "octave", "python"}, "This notebook is written in Julia, and sessions here run Octave, Python and R."},
		{"R", []string{"python"}, "This notebook is written in R, and sessions here run Python only. The operators can add it: apt-get install r-cran-irkernel"},
		{"r", []string{"python", "R"}, ""},
		{"", []string{"python"}, ""},
	} {
		if got := RefuseLanguage(c.language, c.spoken); got != c.want {
			t.Errorf("%q with %q: got %q, want %q", c.language, c.spoken, got, c.want)
		}
	}
}
