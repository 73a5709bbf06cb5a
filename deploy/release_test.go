package deploy_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// in runs a command in a folder, and fails with what it said.
func in(t *testing.T, folder string, environment []string, name string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// sources copies the files that git knows, or would, into a folder, and installs the page's packages there.
func sources(t *testing.T, folder string) {
	t.Helper()
	for name := range strings.SplitSeq(in(t, "..", nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		from := filepath.Join("..", name)
		info, err := os.Stat(from)
		if name == "" || errors.Is(err, os.ErrNotExist) {
			continue
		}
		noError(t, err)
		write(t, filepath.Join(folder, name), read(t, from), info.Mode())
	}
	in(t, "..", nil, "cp", "-r", "web/node_modules", filepath.Join(folder, "web/node_modules"))
}

// A release is built in two folders, at different times, in different places of the world: page, binary, archive and bill are
// the same. Both use one build cache, because compiling everything twice takes ten minutes: Go takes from it only what was
// compiled from equal inputs, among which is every path that isn't trimmed. What is linked, packed and built of the page is made
// twice.
func TestThoroughPackagesAreReproducible(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal(err)
	}
	const version, epoch = "v1.2.3", "SOURCE_DATE_EPOCH=1700000000"
	var made [2]string
	for i := range made {
		folder := filepath.Join(t.TempDir(), strings.Repeat("deeper/", i)+"cairn")
		sources(t, folder)
		environment := []string{epoch}
		if i > 0 {
			environment = append(environment, "TZ=Asia/Tokyo", "HOME="+t.TempDir())
			for name := range strings.FieldsSeq("GOCACHE GOMODCACHE GOPATH") { // which are in the home folder
				environment = append(environment, name+"="+strings.TrimSpace(in(t, "..", nil, "go", "env", name)))
			}
		}
		in(t, folder, environment, "npm", "run", "--silent", "build", "--prefix", "web", "--", "--logLevel", "warn")
		in(t, folder, environment, "scripts/release.sh", version)
		made[i] = filepath.Join(folder, "bin/release")
	}
	for name := range strings.FieldsSeq("cairn-v1.2.3-linux-amd64.tar.gz cairn-v1.2.3-linux-amd64.cdx.json cairn-v1.2.3-linux-arm64.tar.gz " +
		"cairn-v1.2.3-linux-arm64.cdx.json cairn-chart-v1.2.3.tgz SHA256SUMS") {
		first, second := read(t, filepath.Join(made[0], name)), read(t, filepath.Join(made[1], name))
		if first != second || first == "" {
			t.Errorf("%s differs between two builds (%d and %d bytes)", name, len(first), len(second))
		}
	}
	in(t, made[0], nil, "sha256sum", "--check", "--strict", "SHA256SUMS")

	for machine, want := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		name := "cairn-v1.2.3-linux-" + machine
		files := unpacked(t, filepath.Join(made[0], name+".tar.gz"), name)
		binary, err := elf.NewFile(bytes.NewReader(files["cairn"]))
		noError(t, err)
		if binary.Machine != want || slices.ContainsFunc(binary.Progs, func(part *elf.Prog) bool { return part.Type == elf.PT_INTERP }) {
			t.Errorf("the binary of %s is for %v, or it isn't static", machine, binary.Machine)
		}
		info, err := buildinfo.Read(bytes.NewReader(files["cairn"]))
		noError(t, err)
		bill := read(t, filepath.Join(made[0], name+".cdx.json"))
		for _, module := range info.Deps {
			if !strings.Contains(bill, `"pkg:golang/`+module.Path+"@"+module.Version+`"`) {
				t.Errorf("%s isn't in the bill of %s", module.Path, machine)
			}
		}
		for _, file := range []string{
			"LICENSE", "NOTICE", "README.md", "docs/operate.md", "docs/configure.md", "deploy/systemd/cairn.service", "deploy/systemd/cairn-local.service",
			"deploy/systemd/cairn.socket", "deploy/proxies/nginx.conf", "deploy/helm/cairn/Chart.yaml", "deploy/jupyterhub/cairn_hub.py", "deploy/Containerfile",
		} {
			if len(files[file]) == 0 {
				t.Errorf("%s has no %s", name, file)
			}
		}
		for file := range files {
			if strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s has %s", name, file)
			}
		}
	}
	if said := in(t, made[0], nil, filepath.Join(made[0], "linux-amd64/cairn"), "version"); said != "cairn v1.2.3\n" {
		t.Errorf("the binary says %q", said)
	}
}

// unpacked reads an archive whose files are all below a folder, and belong to root as of the given time.
func unpacked(t *testing.T, path, folder string) map[string][]byte {
	t.Helper()
	packed, err := gzip.NewReader(strings.NewReader(read(t, path)))
	noError(t, err)
	files, reader := map[string][]byte{}, tar.NewReader(packed)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		noError(t, err)
		name, below := strings.CutPrefix(header.Name, folder+"/")
		if !below || header.Uid != 0 || header.Uname != "" || header.ModTime.Unix() != 1_700_000_000 {
			t.Errorf("%s: %+v", path, header)
		}
		files[name], err = io.ReadAll(reader)
		noError(t, err)
	}
}
