package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"cairn/internal/foundation/licenses"
)

// platforms are the platforms of a release.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}

// packageLine formats a package as its folder and, unless it belongs to this module, its module.
const packageLine = `{{.Standard}}{{"\t"}}{{.Dir}}{{with .Module}}{{if not .Main}}{{"\t"}}{{.Path}}{{"\t"}}{{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`

// modules returns the modules whose packages are linked into cairn on any platform, and the standard library. A
// module's license is in its root; folders of packages may have others, for code that came from elsewhere.
func modules(ctx context.Context) ([]source, error) {
	root, err := goOutput(ctx, nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	root = strings.TrimSpace(root)
	standard := source{name: licenses.StandardLibrary, kind: licenses.Go, root: root, folders: []string{root}}
	found := map[string]*source{}
	for _, platform := range platforms {
		system, machine, _ := strings.Cut(platform, "/")
		packages, err := goOutput(ctx, []string{"GOOS=" + system, "GOARCH=" + machine, "CGO_ENABLED=0"}, "list", "-deps", "-f", packageLine, "./cmd/cairn")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(packages) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) < 5 { // of the standard library, or ours
				continue
			}
			name, version, moduleRoot := fields[2], fields[3], fields[4]
			if found[name] == nil {
				found[name] = &source{name: name, version: version, kind: licenses.Go, root: moduleRoot}
			}
			found[name].use(fields[1])
		}
	}
	sources := []source{standard}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		slices.Sort(found[name].folders)
		sources = append(sources, *found[name])
	}
	return sources, nil
}

// use adds a folder and those above it, up to the root.
func (s *source) use(folder string) {
	for !slices.Contains(s.folders, folder) {
		s.folders = append(s.folders, folder)
		if folder == s.root {
			return
		}
		folder = filepath.Dir(folder)
	}
}

// goOutput returns the output of a go command.
func goOutput(ctx context.Context, environment []string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", arguments...) //nolint:gosec // the arguments are constants of this file
	command.Env = append(os.Environ(), environment...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", arguments[0], err)
	}
	return string(out), nil
}
