// Package runnable decides which entries of the catalog can run in a session on this server.
package runnable

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"
	"sync"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// Rules are what decides on this server.
type Rules struct {
	Notebooks fs.FS // the notebooks that ship with this server; nil without any

	// Languages returns the programming languages of the kernels that sessions have; nil: Python alone.
	Languages func() []string

	// Unfit returns why no session of somebody has what an entry asks for; "" if one has. nil: nothing is known about that.
	Unfit func(needs *catalog.Needs, reader catalog.Reader) string

	written sync.Map // the languages of bundled notebooks, by name
}

// Refuse returns why an entry can't run, as a sentence with its code; "" if it can, as far as that is known without asking
// anybody.
func (r *Rules) Refuse(entry catalog.Resource) (fault.Code, string) {
	switch {
	case entry.Type == catalog.Model:
		return fault.NotRunnable, "Models run on the workflow platform, not in a session."
	case entry.Type == catalog.Notebook:
		return r.notebook(entry.NotebookPath)
	case entry.Type == catalog.Dataset && entry.DataMissing:
		return fault.NotRunnable, "The data of this dataset isn't on this server."
	}
	return "", ""
}

func (r *Rules) notebook(address string) (fault.Code, string) {
	name, bundled := strings.CutPrefix(address, "bundled:")
	if !bundled {
		return "", ""
	}
	known, read := r.written.Load(name)
	language, _ := known.(string)
	if !read {
		content, err := []byte(nil), fs.ErrNotExist
		if r.Notebooks != nil {
			content, err = fs.ReadFile(r.Notebooks, name)
		}
		if err != nil {
			return fault.NotRunnable, "This notebook isn't on this server."
		}
		language = Language(content)
		r.written.Store(name, language)
	}
	spoken := []string{engine.Python.Language}
	if r.Languages != nil {
		spoken = r.Languages()
	}
	if refusal := sizes.RefuseLanguage(language, spoken); refusal != "" {
		return fault.LanguageMissing, refusal
	}
	return "", ""
}

// Language returns the programming language of a notebook, as kernels for it name it; "" if it names none, or can't be read:
// Jupyter says then what is wrong with it.
func Language(content []byte) string {
	var notebook struct {
		Metadata struct {
			Kernel struct {
				Name     string `json:"name"`
				Language string `json:"language"`
			} `json:"kernelspec"`
			Language struct {
				Name string `json:"name"`
			} `json:"language_info"`
		} `json:"metadata"`
	}
	if json.Unmarshal(bytes.TrimPrefix(content, []byte("\ufeff")), &notebook) != nil {
		return ""
	}
	of := notebook.Metadata
	kernel, _, _ := strings.Cut(of.Kernel.Name, "-") // as in julia-1.10
	for _, name := range []string{of.Language.Name, of.Kernel.Language, kernel} {
		switch lower := strings.ToLower(name); {
		case strings.Contains(lower, "python"):
			return engine.Python.Language
		case lower == "r" || lower == "ir":
			return "R"
		case lower != "" && len(lower) <= longestLanguage:
			return name
		}
	}
	return ""
}

// longestLanguage is the maximum length of a name that is shown, in bytes.
const longestLanguage = 40

// Link adds to each entry whether it can run, and why not. It comes after the link that adds DataMissing.
func (r *Rules) Link() catalog.Link {
	return catalog.Link{Add: func(entry *catalog.Resource, reader catalog.Reader) {
		if entry.RunCode, entry.RunNote = r.Refuse(*entry); entry.RunNote == "" && entry.Needs != nil && r.Unfit != nil {
			if entry.RunNote = r.Unfit(entry.Needs, reader); entry.RunNote != "" {
				entry.RunCode = fault.NoProfileFits
			}
		}
		runs := entry.RunNote == ""
		entry.Runnable = &runs
	}}
}
