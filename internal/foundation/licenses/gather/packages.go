package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"cairn/internal/foundation/licenses"
)

// packagesFile names the packages with code in the page's bundles and in the server's scripts. web/build/packages.ts
// writes it.
const packagesFile = "dist/.vite/packages.json"

// pagePackages returns the packages of the page in a folder.
func pagePackages(folder string) ([]source, error) {
	content, err := os.ReadFile(filepath.Join(folder, packagesFile))
	if err != nil {
		return nil, fmt.Errorf("the list of the page's packages cannot be read; build the page with make build: %w", err)
	}
	var packages []struct{ Name, Version string }
	if err := json.Unmarshal(content, &packages); err != nil {
		return nil, fmt.Errorf("%s: %w", packagesFile, err)
	}
	var sources []source
	for _, one := range packages {
		root, err := packageRoot(folder, one.Name, one.Version)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source{name: one.Name, version: one.Version, kind: licenses.NPM, root: root, folders: []string{root}})
	}
	return sources, nil
}

// packageRoot finds an installed package. If there are two versions, one is inside the package that needs it.
func packageRoot(folder, name, version string) (string, error) {
	for _, pattern := range []string{"node_modules", "node_modules/*/node_modules", "node_modules/@*/*/node_modules"} {
		roots, err := filepath.Glob(filepath.Join(folder, pattern, name))
		if err != nil {
			return "", err
		}
		for _, root := range roots {
			content, err := os.ReadFile(filepath.Join(root, "package.json"))
			var installed struct{ Version string }
			if err == nil && json.Unmarshal(content, &installed) == nil && installed.Version == version {
				return root, nil
			}
		}
	}
	return "", fmt.Errorf("the page has %s %s in it, which is not in %s/node_modules; rebuild the page with make build", name, version, folder)
}
