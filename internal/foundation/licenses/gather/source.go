package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"cairn/internal/foundation/licenses"
)

// source is a component on this machine.
type source struct {
	name, version string
	kind          licenses.Kind
	root          string
	folders       []string // where its licenses may be: its root and the used folders
}

var (
	licenseFile = regexp.MustCompile(`(?i)^(?:licen[cs]e|copying|notice|attrib)`)
	codeFile    = regexp.MustCompile(`(?i)\.(?:go|[cm]?[jt]s|json|sh)$`)
	// noticeFile matches notices, which a license may require to be passed on, but which aren't licenses.
	noticeFile = regexp.MustCompile(`(?i)^notice`)
)

// component reads the licenses of a source, adds their texts to texts, and applies the rules.
func (s source) component(texts map[string]string) (licenses.Component, error) {
	component := licenses.Component{Name: s.name, Version: s.version, Kind: s.kind, Files: []licenses.LicenseFile{}}
	var identifiers []string
	var faults []error
	for _, folder := range s.folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return component, err
		}
		for _, entry := range entries {
			if entry.IsDir() || !licenseFile.MatchString(entry.Name()) || codeFile.MatchString(entry.Name()) {
				continue
			}
			path := filepath.Join(folder, entry.Name())
			content, err := os.ReadFile(path)
			if err != nil {
				return component, err
			}
			name, err := filepath.Rel(s.root, path)
			if err != nil {
				return component, err
			}
			text := trimmed(string(content))
			key := keyOf(text)
			texts[key] = text
			component.Files = append(component.Files, licenses.LicenseFile{Name: filepath.ToSlash(name), Text: key})
			if noticeFile.MatchString(entry.Name()) {
				continue
			}
			found, err := identify(text)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: %s %w", s, name, err))
			}
			identifiers = append(identifiers, found...)
		}
	}
	slices.Sort(identifiers)
	identifiers = slices.Compact(identifiers)
	for _, identifier := range identifiers {
		if !isAllowed(s.name, identifier) {
			faults = append(faults, fmt.Errorf("%s is under %s, which is not among the licenses that may be in the binary; they are listed in internal/foundation/licenses/gather/rules.go", s, identifier))
		}
	}
	if len(identifiers) == 0 && len(faults) == 0 {
		faults = append(faults, fmt.Errorf("%s has no license file, so it may not be in the binary", s))
	}
	component.License = strings.Join(identifiers, " AND ")
	return component, errors.Join(faults...)
}

func (s source) String() string { return strings.TrimSpace(s.name + " " + s.version) }

// trimmed removes irrelevant differences from a text. The indent of a heading on the first line stays.
func trimmed(text string) string {
	return strings.TrimLeft(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), " \t\n"), "\n")
}

// keyOf returns the key of a text.
func keyOf(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:6])
}
