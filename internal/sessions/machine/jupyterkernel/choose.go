package jupyterkernel

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
)

// KernelSpec is a kernel that a server can start, as notebooks name it in their metadata.
type KernelSpec struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Language    string `json:"language"`
}

// NoKernelError says that a server has no kernel for a notebook.
type NoKernelError struct {
	Wanted, Language string
	Has              []string
}

func (e NoKernelError) Error() string {
	return fmt.Sprintf("The notebook needs the kernel %s, or another one for the language %s. The server has neither, but: %s.",
		fault.Quote(e.Wanted), fault.Quote(e.Language), cmp.Or(strings.Join(e.Has, ", "), "no kernel at all"))
}

// ChooseKernel returns the kernel that a notebook wants or, if the server doesn't have it, one for the same language: names such as
// that of an environment mean nothing elsewhere. A notebook needn't name its language; then it gets the server's usual kernel, unless
// it names a kernel that is known to be for another language. A NoKernelError says that there is none.
func (s Server) ChooseKernel(ctx context.Context, kernel, language string) (KernelSpec, error) {
	var found struct {
		Default string
		Kernels map[string]struct {
			Spec struct {
				Name     string `json:"display_name"`
				Language string
			}
		} `json:"kernelspecs"`
	}
	if err := s.Call(ctx, http.MethodGet, "api/kernelspecs", nil, &found); err != nil {
		return KernelSpec{}, err
	}
	var names, able []string
	wanted := cmp.Or(language, languageOf(kernel))
	for name, one := range found.Kernels {
		names = append(names, name)
		if strings.EqualFold(one.Spec.Language, wanted) {
			able = append(able, name)
		}
	}
	slices.Sort(names)
	slices.Sort(able)
	chosen := kernel
	_, has := found.Kernels[chosen]
	switch {
	case has:
	case slices.Contains(able, found.Default), wanted == "" && slices.Contains(names, found.Default):
		chosen = found.Default
	case len(able) > 0:
		chosen = able[0]
	default:
		return KernelSpec{}, NoKernelError{chosen, wanted, names}
	}
	return KernelSpec{chosen, found.Kernels[chosen].Spec.Name, found.Kernels[chosen].Spec.Language}, nil
}

// languageOf returns the language of a kernel by the name under which its project installs it; "" for other names.
func languageOf(kernel string) string {
	kernel = strings.ToLower(kernel)
	for _, known := range []struct{ begin, language string }{
		{"python", "python"},
		{"ir", "R"},
		{"julia", "julia"},
		{"matlab", "matlab"},
		{"octave", "octave"},
		{"bash", "bash"},
		{"sage", "sage"},
		{"ijs", "javascript"},
		{"javascript", "javascript"},
		{"tslab", "typescript"},
		{"ruby", "ruby"},
		{"rust", "Rust"},
		{"gophernotes", "go"},
		{"xcpp", "C++"},
		{"scala", "scala"},
		{"haskell", "haskell"},
		{"stata", "stata"},
		{"sas", "sas"},
		{".net-csharp", "C#"},
		{".net-fsharp", "F#"},
		{"sos", "sos"},
		{"wolframlanguage", "Wolfram Language"},
	} {
		version, ok := strings.CutPrefix(kernel, known.begin)
		if ok && strings.Trim(version, "0123456789.-_") == "" {
			return known.language
		}
	}
	return ""
}
