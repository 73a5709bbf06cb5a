// Package runnable decides which entries of the catalog can run in a session on this server.
package runnable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
)

// Rules are what decides on this server.
type Rules struct {
	Notebooks fs.FS // the notebooks that ship with this server; nil without any

	// Unfit returns why no session of somebody has what an entry asks for; "" if one has. nil: nothing is known about that.
	Unfit func(needs *catalog.Needs, reader catalog.Reader) string

	languages sync.Map // of bundled notebooks, by name
}

// Refusal returns why an entry can't run, as a sentence; "" if it can, as far as that is known without asking anybody.
func (r *Rules) Refusal(entry catalog.Resource) string {
	switch {
	case entry.Type == catalog.Model:
		return "Models run on the workflow platform, not in a session."
	case entry.Type == catalog.Repository:
		return ""
	case entry.Type == catalog.Notebook:
		return r.notebook(entry.NotebookPath)
	case entry.DataMissing:
		return "The data of this dataset isn't on this server."
	}
	return ""
}

func (r *Rules) notebook(address string) string {
	name, bundled := strings.CutPrefix(address, "bundled:")
	if !bundled {
		return ""
	}
	if known, ok := r.languages.Load(name); ok {
		refusal, _ := known.(string)
		return refusal
	}
	refusal := "This notebook isn't on this server."
	if r.Notebooks != nil {
		if content, err := fs.ReadFile(r.Notebooks, name); err == nil {
			refusal = RefuseLanguage(content)
		}
	}
	r.languages.Store(name, refusal)
	return refusal
}

// RefuseLanguage returns why a notebook can't run because of its language; "" if it can, or if it names none.
func RefuseLanguage(content []byte) string {
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
		return "" // Jupyter says what is wrong with it
	}
	of := notebook.Metadata
	kernel, _, _ := strings.Cut(of.Kernel.Name, "-") // as in julia-1.10
	for _, name := range []string{of.Language.Name, of.Kernel.Language, kernel} {
		switch lower := strings.ToLower(name); {
		case strings.Contains(lower, "python"):
			return ""
		case lower == "r" || lower == "ir":
			return otherLanguage("R")
		case lower != "" && len(lower) <= longestLanguage:
			return otherLanguage(strings.ToUpper(lower[:1]) + lower[1:])
		}
	}
	return ""
}

// longestLanguage is the maximum length of a name that is shown, in bytes.
const longestLanguage = 40

func otherLanguage(name string) string {
	return fmt.Sprintf("This notebook is written in %s, and sessions here run Python only.", name)
}

// Link adds to each entry whether it can run, and why not. It comes after the link that adds DataMissing.
func (r *Rules) Link() catalog.Link {
	return catalog.Link{Add: func(entry *catalog.Resource, reader catalog.Reader) {
		if entry.RunNote = r.Refusal(*entry); entry.RunNote != "" {
			entry.RunCode = fault.NotRunnable
		} else if entry.Needs != nil && r.Unfit != nil {
			if entry.RunNote = r.Unfit(entry.Needs, reader); entry.RunNote != "" {
				entry.RunCode = fault.NoProfileFits
			}
		}
		runs := entry.RunNote == ""
		entry.Runnable = &runs
	}}
}
