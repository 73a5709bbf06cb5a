package sizes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// Kernels returns the kernels that its sessions have, Python's among them.
func (e Engine) Kernels(ctx context.Context) []engine.Kernel {
	if lister, ok := e.Engine.(engine.KernelLister); ok {
		return lister.Kernels(ctx)
	}
	return []engine.Kernel{engine.Python}
}

// languages returns the programming languages of its kernels.
func (e Engine) languages(ctx context.Context) []string {
	var names []string
	for _, kernel := range e.Kernels(ctx) {
		names = append(names, kernel.Language)
	}
	return names
}

// Languages returns the programming languages in which notebooks run on at least one engine.
func (e Engines) Languages(ctx context.Context) []string {
	var names []string
	for _, one := range e.All {
		names = append(names, one.languages(ctx)...)
	}
	return names
}

// speaking returns those engines on which notebooks in a language run; LanguageMissing if there is none.
func speaking(ctx context.Context, engines []Engine, language string) (able []Engine, err error) {
	var spoken []string
	for _, one := range engines {
		names := one.languages(ctx)
		spoken = append(spoken, names...)
		if RefuseLanguage(language, names) == "" {
			able = append(able, one)
		}
	}
	if len(able) == 0 {
		return nil, fault.New(fault.LanguageMissing, "%s", RefuseLanguage(language, spoken))
	}
	return able, nil
}

// RefuseLanguage returns why a notebook in a language doesn't run on this engine; "" if it does, or names none.
func (e Engine) RefuseLanguage(ctx context.Context, language string) string {
	return RefuseLanguage(language, e.languages(ctx))
}

// installs names what operators of Debian and Ubuntu install for a language; pages of other languages' kernels say it.
var installs = map[string]string{"R": "r-cran-irkernel", "Octave": "python3-octave-kernel"}

// RefuseLanguage returns why a notebook in a language doesn't run where sessions have kernels for some languages; "" if it
// does, or names none.
func RefuseLanguage(language string, spoken []string) string {
	if language == "" || slices.ContainsFunc(spoken, func(one string) bool { return engine.SameLanguage(one, language) }) {
		return ""
	}
	names := make([]string, 0, len(spoken))
	for _, one := range spoken {
		if name := capitalized(one); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	run := strings.Join(names, " and ")
	switch last := len(names) - 1; {
	case last == 0:
		run += " only"
	case last > 1:
		run = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	text := fmt.Sprintf("This notebook is written in %s, and sessions here run %s.", capitalized(language), run)
	if found := installs[capitalized(language)]; found != "" {
		text += " The operators can add it: apt-get install " + found
	}
	return text
}

func capitalized(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
