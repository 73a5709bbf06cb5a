package requirements

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/sys/unix"
)

// read reads files as the repository that has them.
func read(t *testing.T, texts map[string]string) Requirements {
	t.Helper()
	found, err := Read(FromTexts(texts), []string{"cairn.yml"})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func leftOf(found Requirements) []string {
	var names []string
	for _, one := range found.LeftOut() {
		names = append(names, one.What)
	}
	return names
}

// What pip would do with other lines than names, the cache's key does not tell.
func TestOnlyPackagesByNameAreInstalled(t *testing.T) {
	t.Parallel()
	found := Requirements{}
	found.addLines("numpy\r\npandas>=1.0,<3 # why\n\n# no\nscipy[all] ~= 1.2 ; python_version < '4'\nname==1.*\\\n --hash=sha256:" + strings.Repeat("0a", 32) + "\n" +
		"A.b_c-d (>=1)\n-e .\n-r other.txt\n--index-url https://evil.example\nx @ https://evil.example/x.whl\n./local\ngit+https://x/y\n" +
		"name==${HOME}\n../up.whl\nx --global-option=y\nnumpy==1.0 --config-settings=x\n")
	if lines := linesOf(found); len(lines) != 5 || len(found.left) != 10 || lines[2] != `scipy[all]~=1.2 ; python_version < '4'` {
		t.Errorf("%d lines %q, left %d %q", len(lines), lines, len(found.left), found.left)
	}
	if left := found.LeftOut()[0]; left.What != "-e ." || left.Why != whyByName {
		t.Errorf("left out: %+v", left)
	}
}

func TestEveryFileThatSaysWhatIsNeededIsRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files  map[string]string
		lines  string // joined by |
		left   string // likewise
		beyond bool
	}{
		"nothing": {files: map[string]string{"README.md": "x"}},
		"a descriptor": {
			files: map[string]string{"cairn.yml": "project: {additional_dependencies: {pip: [a, 'b==1', '-e x']}}\nadditional_dependencies: {conda: [scipy, pandas=2], modules: [cuda]}\n"},
			lines: "a|b==1|scipy|pandas==2.*", left: "-e x|cuda (module)", beyond: true,
		},
		"a descriptor of other types": {
			files: map[string]string{"cairn.yml": "additional_dependencies: {pip: {x: y}, conda: [scipy], modules: {x: y}}\n"}, lines: "scipy", beyond: true,
		},
		"pyproject.toml": {
			files: map[string]string{"pyproject.toml": "[project]\nname = 'x'\ndependencies = ['numpy>=1', 5, 'x @ https://x/y.whl']\n[project.optional-dependencies]\nall = ['y']\n"},
			lines: "numpy>=1", left: "x @ https://x/y.whl",
		},
		"computed dependencies": {
			files: map[string]string{"pyproject.toml": "[project]\ndynamic = ['version', 'dependencies']\n"}, left: "pyproject.toml: dependencies",
		},
		"Poetry": {
			files: map[string]string{"pyproject.toml": "[tool.poetry.dependencies]\npython = '^3.9'\nscipy = '^1'\nnumpy = {version = '1'}\n"}, left: "numpy|scipy",
		},
		"no TOML": {files: map[string]string{"pyproject.toml": "[project\n"}, left: "pyproject.toml"},
		"an environment of conda": {
			files: map[string]string{"environment.yml": "channels: [x]\ndependencies: [python=3.8, pip, pytorch>=1, 'x::scipy', r-base, ffmpeg, numpy=1.2.3=py_0, {pip: [six, -r requirements.txt, -e .]}]\n"},
			lines: "python==3.8.*|six|torch>=1|scipy|numpy==1.2.3", left: "-e .|r-base (conda)|ffmpeg (conda)", beyond: true,
		},
		"its longer name": {files: map[string]string{"environment.yaml": "dependencies: [numpy]"}, lines: "numpy", beyond: true},
		"no environment":  {files: map[string]string{"environment.yml": "dependencies: {"}, left: "environment.yml"},
		"a version of Python": {
			files: map[string]string{"runtime.txt": "python-3.10\n"}, lines: "python==3.10.*", beyond: true,
		},
		"R":             {files: map[string]string{"runtime.txt": "r-4.2-2024-01-01"}, left: "r-4.2-2024-01-01", beyond: true},
		"some language": {files: map[string]string{"runtime.txt": "cobol"}, left: "runtime.txt", beyond: true},
		"system":        {files: map[string]string{"apt.txt": "ffmpeg # why\n\n# no\ngit curl\n"}, left: "ffmpeg (apt)|git (apt)|curl (apt)", beyond: true},
		"a Dockerfile":  {files: map[string]string{"Dockerfile": "FROM x"}, left: "Dockerfile", beyond: true},
		"a script":      {files: map[string]string{"postBuild": "#!/bin/sh"}, left: "postBuild", beyond: true},
		"an R package":  {files: map[string]string{"DESCRIPTION": "Package: x\nDepends: R (>= 4)\nImports: dplyr (>= 1.0),\n    ggplot2\nSuggests: y\n"}, left: "dplyr (R)|ggplot2 (R)", beyond: true},
		"Binder's folder": {
			files: map[string]string{"binder/requirements.txt": "a", "requirements.txt": "b", ".binder/apt.txt": "c", "cairn.yml": "additional_dependencies: {pip: [d]}"}, lines: "d|a",
		},
		"its other folder": {files: map[string]string{".binder/Dockerfile": "x", "requirements.txt": "b"}, left: ".binder/Dockerfile", beyond: true},
		"the same in several files": {
			files: map[string]string{"requirements.txt": "numpy>=1\nsix\n", "pyproject.toml": "[project]\ndependencies = ['numpy<2', 'six']", "environment.yml": "dependencies: [NumPy=1.2, scipy, scipy=1]"},
			lines: "numpy>=1|six|numpy<2|scipy", beyond: true,
		},
		"checksums": {
			files: map[string]string{
				"requirements.txt": "six==1 --hash=sha256:" + strings.Repeat("0a", 32), "pyproject.toml": "[project]\ndependencies = ['six', 'other']", "environment.yml": "dependencies: [scipy, six, python=3]",
			},
			lines: "six==1 --hash=sha256:" + strings.Repeat("0a", 32) + "|python==3.*", left: "other|scipy (conda)", beyond: true,
		},
	} {
		found := read(t, test.files)
		if lines := strings.Join(linesOf(found), "|"); lines != test.lines || strings.Join(leftOf(found), "|") != test.left || found.BeyondPip() != test.beyond {
			t.Errorf("%s: %q are wanted, %q left out, beyond pip: %v", name, lines, leftOf(found), found.BeyondPip())
		}
	}
}

// PowerShell writes UTF-16 unless it is told otherwise, and pip reads it.
func TestFilesInOtherEncodingsAreRead(t *testing.T) {
	t.Parallel()
	encoded := func(text string, order binary.AppendByteOrder) string {
		var raw []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			raw = order.AppendUint16(raw, unit)
		}
		return string(raw)
	}
	for name, test := range map[string]struct{ path, text, lines, left string }{
		"pip freeze in PowerShell":   {"requirements.txt", encoded("six==1.16.0 \r\nattrs>=21 \r\n", binary.LittleEndian), "six==1.16.0|attrs>=21", ""},
		"the other order of bytes":   {"requirements.txt", encoded("six==1.16.0\nattrs>=21", binary.BigEndian), "six==1.16.0|attrs>=21", ""},
		"an environment in UTF-16":   {"environment.yml", encoded("# Müller\r\ndependencies:\r\n  - numpy\r\n", binary.LittleEndian), "numpy", ""},
		"a project in UTF-16":        {"pyproject.toml", encoded("[project]\r\ndependencies = ['six']\r\n", binary.LittleEndian), "six", ""},
		"a descriptor in UTF-16":     {"cairn.yml", encoded("additional_dependencies: {pip: [six]}", binary.LittleEndian), "six", ""},
		"UTF-8 with a mark":          {"requirements.txt", "\ufeffsix\r\nattrs", "six|attrs", ""},
		"Latin-1 in a comment":       {"requirements.txt", "# M\xfcller\nsix # f\xfcr\n", "six", ""},
		"no text at all":             {"requirements.txt", "six\x00\n", "", "requirements.txt"},
		"a line end only in UTF-16":  {"requirements.txt", encoded("six\u2028-e .\nattrs", binary.LittleEndian), "attrs", "six\ufffd-e ."},
		"a null character in UTF-16": {"requirements.txt", encoded("six\x00\nattrs", binary.LittleEndian), "", "requirements.txt"},
	} {
		found := read(t, map[string]string{test.path: test.text})
		if lines := strings.Join(linesOf(found), "|"); lines != test.lines || strings.Join(leftOf(found), "|") != test.left {
			t.Errorf("%s: %q are wanted, %q left out", name, lines, leftOf(found))
		}
	}
}

func TestConditionsOfConda(t *testing.T) {
	t.Parallel()
	for wish, want := range map[string]string{
		"numpy": "numpy", "numpy=1.2": "numpy==1.2.*", "numpy = 1.2": "numpy==1.2.*", "numpy=1.2.*": "numpy==1.2.*", "numpy==1.2": "numpy==1.2", "numpy=1.2=py39_0": "numpy==1.2", "numpy==1.2=0": "numpy==1.2",
		"numpy 1.2": "numpy==1.2", "numpy 1.2 py_0": "numpy==1.2", "numpy 1.2.*": "numpy==1.2.*", "numpy 1.2*": "numpy==1.2.*", "numpy>=1.2,<2": "numpy>=1.2,<2", "numpy !=1.2": "numpy!=1.2",
		"numpy=*": "numpy", "numpy *": "numpy", "conda-forge/linux-64::numpy": "numpy", "NumPy": "numpy", "pytorch-gpu=2": "torch==2.*",
		"numpy 1.2|1.3": "", "numpy[version='>1']": "", "numpy=1.2,<2": "", "=1": "", "ruby=3": "", "_libx": "", "r-dplyr>=1": "", "python[x]": "",
	} {
		found := Requirements{}
		found.addConda(wish)
		got := ""
		if len(found.conda) == 1 {
			got = found.conda[0].Line
		}
		if got != want || want == "" && len(found.beyond) != 1 || want != "" && found.conda[0].String() != wish+" (conda)" {
			t.Errorf("%s is %q, left out %+v", wish, got, found.beyond)
		}
	}
}

// A name that means a library or a program to conda often belongs to a stranger in the index of pip.
func TestPipIsAskedOnlyForPackagesOfCondaThatAreTheSameThere(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, lines, left string }{
		"C libraries":        {"channels: [conda-forge]\ndependencies:\n  - python=3.11\n  - numpy\n  - mpfr\n  - geos\n", "python==3.11.*|numpy", "mpfr (conda)|geos (conda)"},
		"programs":           {"dependencies: [bioconda::salmon=1.10, 'bison >=3', 'conda-forge/linux-64::gmp']", "", "bioconda::salmon=1.10 (conda)|bison >=3 (conda)|conda-forge/linux-64::gmp (conda)"},
		"in capital letters": {"dependencies: [MPFR, GEOS=3, NumPy=1.26]", "numpy==1.26.*", "MPFR (conda)|GEOS=3 (conda)"},
		"a package of R":     {"dependencies: [r-dplyr, bioconductor-deseq2, rpy2]", "rpy2", "r-dplyr (conda)|bioconductor-deseq2 (conda)"},
		"other spellings":    {"dependencies: [msgpack_python, msgpack.python, jupyter_client]", "jupyter-client", "msgpack_python (conda)|msgpack.python (conda)"},
		"names of the index": {"dependencies: [torch, tables, opencv-python]", "", "torch (conda)|tables (conda)|opencv-python (conda)"},
		"a made-up name":     {"dependencies: [numpyy, '_x', '#']", "", "numpyy (conda)|_x (conda)|# (conda)"},
	} {
		found := read(t, map[string]string{"environment.yml": test.file})
		if lines := strings.Join(linesOf(found), "|"); lines != test.lines || strings.Join(leftOf(found), "|") != test.left {
			t.Errorf("%s: %q are wanted, %q left out", name, lines, leftOf(found))
		}
	}
	found := read(t, map[string]string{"environment.yml": "dependencies: [mpfr]"})
	if why := found.LeftOut()[0].Why; !strings.Contains(why, "conda package") || !strings.Contains(why, "sessions.builder") {
		t.Errorf("It is left out because: %s", why)
	}
}

// Whoever adds a package to the list must find it where it is looked for.
func TestTheListOfPackagesOfCondaCanBeRead(t *testing.T) {
	t.Parallel()
	var names []string
	for line := range strings.Lines(condaList) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Split(line, " ")
		names = append(names, words[0])
		if found := condaForm.FindStringSubmatch(words[0]); found == nil || found[1] != strings.ToLower(words[0]) {
			t.Errorf("%q is no name of conda", line)
		}
		if _, ok := parseRequirement(words[len(words)-1]); !ok || len(words) > 2 || len(words) == 2 && words[0] == words[1] {
			t.Errorf("%q is no name of the index", line)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(names)) != len(indexNames()) {
		t.Error("The names aren't in order, or some are there twice")
	}
}

func TestPackagesAreNamedAsTheirAuthorsKnowThem(t *testing.T) {
	t.Parallel()
	found := read(t, map[string]string{"requirements.txt": "six==1 --hash=sha256:" + strings.Repeat("0a", 32), "runtime.txt": "python-3.10"})
	if names := []string{found.Packages[0].String(), found.Packages[1].String()}; !slices.Equal(names, []string{"six==1", "Python==3.10.*"}) {
		t.Errorf("They are named %q", names)
	}
}

// What stands in the place of a file, and its length, are up to the authors of a repository.
func TestOnlyFilesAreRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "environment.yml"), []byte(strings.Repeat("#", fileLimit+1)), 0o644); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "requirements.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "Dockerfile"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(folder, "apt.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	found, err := Read(FromFolder(root), nil)
	if left := found.LeftOut(); err != nil || len(found.Packages) != 0 || len(left) != 1 || left[0].What != "environment.yml" || left[0].Why != "The file is longer than 256 kB." {
		t.Errorf("It reads %+v, %v", found, err)
	}
}

// A reader that follows every bracket by a call runs out of stack.
func TestDeepFilesAreRefused(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", fileLimit-100)
	for name, text := range map[string]string{"pyproject.toml": "x = " + deep, "environment.yml": "dependencies: " + deep, "cairn.yml": deep} {
		if found := read(t, map[string]string{name: text}); len(found.Packages) != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
