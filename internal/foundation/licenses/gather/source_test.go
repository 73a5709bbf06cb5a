package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/internal/foundation/licenses"
)

const (
	mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`
	gpl = "This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version.\n"
	mpl = "This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not distributed with this file, You can obtain one at https://mozilla.org/MPL/2.0/.\n"
	// none is a license that nobody has reviewed.
	none = "You may look at this software on Sundays, if it does not rain and nobody minds.\n"
)

// write creates files below a folder.
func write(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatMayBeInTheBinary(t *testing.T) {
	const lru = "github.com/hashicorp/golang-lru/v2"
	for _, c := range []struct {
		name    string
		files   map[string]string
		license string
		says    []string // in the error; empty if none is expected
	}{
		{"x", map[string]string{"LICENSE": mit}, "MIT", nil},
		{"x", map[string]string{"licence.md": mit}, "MIT", nil},
		{"x", map[string]string{"Copying.txt": mit, "NOTICE": none}, "MIT", nil},
		{"x", map[string]string{"LICENSE": mit, "license.go": "package x", "LICENSES/GPL": gpl}, "MIT", nil},
		{"x", nil, "", []string{"x v1 has no license file"}},
		{"x", map[string]string{"NOTICE": mit, "README": mit}, "", []string{"x v1 has no license file"}},
		{"x", map[string]string{"LICENSE": ""}, "", []string{"x v1: LICENSE is no license that is known"}},
		{"x", map[string]string{"LICENSE": none}, "", []string{"x v1: LICENSE is no license that is known (0 %", keyOf(strings.TrimSpace(none)), "rules.go"}},
		{"x", map[string]string{"LICENSE": mit, "LICENSE-2": none}, "MIT", []string{"x v1: LICENSE-2 is no license that is known"}},
		{"x", map[string]string{"LICENSE": gpl}, "GPL-3.0-or-later", []string{"x v1 is under GPL-3.0-or-later, which is not among"}},
		{"x", map[string]string{"LICENSE": mit, "COPYING": gpl}, "GPL-3.0-or-later AND MIT", []string{"x v1 is under GPL-3.0-or-later,"}},
		{"x", map[string]string{"LICENSE": mpl}, "MPL-2.0", []string{"x v1 is under MPL-2.0"}},
		{lru, map[string]string{"LICENSE": mpl}, "MPL-2.0", nil},
		{lru, map[string]string{"LICENSE": gpl}, "GPL-3.0-or-later", []string{lru + " v1 is under GPL"}},
	} {
		folder := t.TempDir()
		write(t, folder, c.files)
		component, err := source{name: c.name, version: "v1", root: folder, folders: []string{folder}}.component(map[string]string{})
		said := ""
		if err != nil {
			said = err.Error()
		}
		if component.License != c.license || (said == "") != (len(c.says) == 0) {
			t.Errorf("%s %v: %q with %q, want %q", c.name, c.files, component.License, said, c.license)
		}
		for _, want := range c.says {
			if !strings.Contains(said, want) {
				t.Errorf("%v: says %q, want %q", c.files, said, want)
			}
		}
	}
}

func TestEveryFaultIsToldAtOnce(t *testing.T) {
	free, bound := t.TempDir(), t.TempDir()
	write(t, bound, map[string]string{"LICENSE": gpl})
	_, err := read([]source{{name: "a", root: free, folders: []string{free}}, {name: "b", root: bound, folders: []string{bound}}})
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "a has no license") || !strings.Contains(err.Error(), "b is under GPL") {
		t.Errorf("%v", err)
	}
}

func TestLicensesInFoldersThatAreUsed(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"LICENSE": mit, "json/LICENSE": strings.ReplaceAll("Copyright Other\n\n"+mit, "\n", "\r\n"), "json/inner/x.go": "", "tool/LICENSE": gpl,
		"same/LICENSE": strings.ReplaceAll(mit, "\n", "\r\n") + "\n",
	})
	one := source{name: "x", kind: licenses.Go, root: root}
	for _, folder := range []string{"json/inner", "same", "json", "."} {
		one.use(filepath.Join(root, folder))
	}
	slices.Sort(one.folders)
	inventory, err := read([]source{one})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range inventory.Components[0].Files {
		names = append(names, file.Name)
	}
	if strings.Join(names, " ") != "LICENSE json/LICENSE same/LICENSE" || len(inventory.Texts) != 2 {
		t.Errorf("%v and %d texts", names, len(inventory.Texts))
	}
}

func TestPackagesOfThePage(t *testing.T) {
	web := t.TempDir()
	write(t, web, map[string]string{
		packagesFile:                                      `[{"name": "@scope/one", "version": "1.0.0"}, {"name": "two", "version": "2.0.0"}]`,
		"node_modules/@scope/one/package.json":            `{"version": "1.0.0"}`,
		"node_modules/two/package.json":                   `{"version": "1.9.0"}`,
		"node_modules/@a/b/node_modules/two/package.json": `{"version": "2.0.0"}`,
	})
	sources, err := pagePackages(web)
	if err != nil || len(sources) != 2 || sources[0].kind != licenses.NPM || !strings.HasSuffix(sources[1].root, filepath.FromSlash("@a/b/node_modules/two")) {
		t.Errorf("%+v %v", sources, err)
	}
	write(t, web, map[string]string{packagesFile: `[{"name": "two", "version": "3.0.0"}]`})
	if _, err := pagePackages(web); err == nil || !strings.Contains(err.Error(), "two 3.0.0") {
		t.Errorf("%v", err)
	}
	if _, err := pagePackages(t.TempDir()); err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("%v", err)
	}
}
