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

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
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
			lines: "numpy>=1", left: "x @ https://x/y.whl|pyproject.toml: project.optional-dependencies.all",
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
			lines: "python==3.8.*|six|torch>=1|scipy|numpy==1.2.3", left: "-r requirements.txt|-e .|ffmpeg (conda)", beyond: true,
		},
		"its longer name": {files: map[string]string{"environment.yaml": "dependencies: [numpy]"}, lines: "numpy", beyond: true},
		"no environment":  {files: map[string]string{"environment.yml": "dependencies: {"}, left: "environment.yml"},
		"a version of Python": {
			files: map[string]string{"runtime.txt": "python-3.10\n"}, lines: "python==3.10.*", beyond: true,
		},
		"some language": {files: map[string]string{"runtime.txt": "cobol"}, left: "runtime.txt", beyond: true},
		"system":        {files: map[string]string{"apt.txt": "ffmpeg # why\n\n# no\ngit curl\n"}, left: "ffmpeg (apt)|git (apt)|curl (apt)", beyond: true},
		"a Dockerfile":  {files: map[string]string{"Dockerfile": "FROM x"}, left: "Dockerfile", beyond: true},
		"a script":      {files: map[string]string{"postBuild": "#!/bin/sh"}, left: "postBuild", beyond: true},
		"Binder's folder": {
			files: map[string]string{"binder/requirements.txt": "a", "requirements.txt": "b", ".binder/apt.txt": "c", "cairn.yml": "additional_dependencies: {pip: [d]}"},
			lines: "d|a", left: ".binder/apt.txt|requirements.txt",
		},
		"its other folder": {files: map[string]string{".binder/Dockerfile": "x", "requirements.txt": "b"}, left: ".binder/Dockerfile|requirements.txt", beyond: true},
		"the same twice": {
			files: map[string]string{"environment.yml": "dependencies: [NumPy=1.2, scipy, scipy, six, {pip: [six, numpy>=1]}]"}, lines: "six|numpy>=1|scipy", beyond: true,
		},
		"checksums": {
			files: map[string]string{"environment.yml": "dependencies: [scipy, six, python=3, {pip: ['six==1 --hash=sha256:" + strings.Repeat("0a", 32) + "', other]}]"},
			lines: "python==3.*|six==1 --hash=sha256:" + strings.Repeat("0a", 32), left: "other|scipy (conda)", beyond: true,
		},
	} {
		found := read(t, test.files)
		if lines := strings.Join(linesOf(found), "|"); lines != test.lines || strings.Join(leftOf(found), "|") != test.left || found.BeyondPip() != test.beyond {
			t.Errorf("%s: %q are wanted, %q left out, beyond pip: %v", name, lines, leftOf(found), found.BeyondPip())
		}
	}
}

func TestOneListOfPackagesCounts(t *testing.T) {
	t.Parallel()
	const (
		conda     = "dependencies:\n  - python=3.11\n  - pip\n  - pip:\n    - six==1.16.0\n"
		pyproject = "[project]\ndependencies = ['six==1.14.0']\n"
	)
	for name, test := range map[string]struct {
		files       map[string]string
		lines, left string
	}{
		"conda's before pip's":         {map[string]string{"environment.yml": conda, "requirements.txt": "six==1.15.0\n"}, "python==3.11.*|six==1.16.0", "requirements.txt"},
		"conda's before all":           {map[string]string{"environment.yaml": conda, "requirements.txt": "six==1.15.0\n", "pyproject.toml": pyproject, "runtime.txt": "python-3.8"}, "python==3.11.*|six==1.16.0", "requirements.txt|pyproject.toml|runtime.txt"},
		"both names of conda's":        {map[string]string{"environment.yml": conda, "environment.yaml": "dependencies: [numpy]"}, "python==3.11.*|six==1.16.0", "environment.yaml"},
		"pip's before the project's":   {map[string]string{"requirements.txt": "six==1.15.0\n", "pyproject.toml": pyproject, "runtime.txt": "python-3.8"}, "six==1.15.0|python==3.8.*", "pyproject.toml"},
		"one that can't be read":       {map[string]string{"environment.yml": "dependencies: {", "requirements.txt": "six"}, "", "environment.yml|requirements.txt"},
		"one of tools":                 {map[string]string{"requirements.txt": "six", "pyproject.toml": "[tool.ruff]\nline-length = 100\n"}, "six", ""},
		"a project of tools alone":     {map[string]string{"pyproject.toml": "[tool.ruff]\nline-length = 100\n", "environment.yml": conda}, "python==3.11.*|six==1.16.0", ""},
		"in the folder that counts":    {map[string]string{"binder/environment.yml": conda, "binder/requirements.txt": "six", "environment.yml": "dependencies: [numpy]", "setup.py": "x"}, "python==3.11.*|six==1.16.0", "binder/requirements.txt|environment.yml|setup.py"},
		"in another folder":            {map[string]string{".binder/requirements.txt": "six", "environment.yml": conda}, "six", "environment.yml"},
		"one that the other includes":  {map[string]string{"environment.yml": "dependencies:\n  - pip\n  - pip:\n    - -r ./requirements.txt\n", "requirements.txt": "six==1.16.0\n"}, "six==1.16.0", ""},
		"included in other words":      {map[string]string{"environment.yml": "dependencies: [numpy, {pip: ['--requirement=requirements.txt', attrs]}]", "requirements.txt": "six\n"}, "six|attrs|numpy", ""},
		"included from Binder's":       {map[string]string{"binder/requirements.txt": "-r ../requirements.txt\nattrs\n", "requirements.txt": "six\n"}, "six|attrs", ""},
		"included in a circle":         {map[string]string{"binder/requirements.txt": "-r../requirements.txt\n", "requirements.txt": "-r binder/requirements.txt\nsix\n"}, "six", ""},
		"what is included isn't there": {map[string]string{"environment.yml": "dependencies: [{pip: [-r other.txt, six]}]"}, "six", "-r other.txt"},
		"out of the repository":        {map[string]string{"requirements.txt": "-r ../requirements.txt\n-r /etc/passwd\nsix"}, "six", "-r ../requirements.txt|-r /etc/passwd"},
		"by the descriptor":            {map[string]string{"cairn.yml": "additional_dependencies: {pip: [-r requirements.txt, attrs]}", "requirements.txt": "six"}, "six|attrs", ""},
	} {
		found := read(t, test.files)
		if lines := strings.Join(linesOf(found), "|"); lines != test.lines || strings.Join(leftOf(found), "|") != test.left {
			t.Errorf("%s: %q are wanted, %q left out", name, lines, leftOf(found))
		}
	}
	found := read(t, map[string]string{"environment.yml": conda, "requirements.txt": "six==1.15.0\n"})
	if why := found.LeftOut()[0].Why; why != "environment.yml is used, so requirements.txt isn't." {
		t.Errorf("requirements.txt is left out because: %s", why)
	}
	if _, there := found.Files["requirements.txt"]; there || found.NeverInstalled()[0].What != "requirements.txt" {
		t.Errorf("A builder gets %v", found.Files)
	}
}

// What is neither installed nor named looks as if it were there.
func TestNothingIsPassedOverInSilence(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ path, text, lines, left string }{
		"Pipenv":                      {"Pipfile", "[packages]\nsix = '*'\n", "", "Pipfile"},
		"its lock":                    {"Pipfile.lock", "{}", "", "Pipfile.lock"},
		"pixi":                        {"pixi.toml", "[dependencies]\nnumpy = '*'\n", "", "pixi.toml"},
		"setup.py":                    {"setup.py", "from setuptools import setup\nsetup(install_requires=['six'])\n", "", "setup.py"},
		"setup.cfg":                   {"setup.cfg", "[metadata]\nname = x\n[options]\ninstall_requires = six\n", "", "setup.cfg"},
		"setup.cfg of tools":          {"setup.cfg", "[flake8]\nmax-line-length = 100\n", "", ""},
		"a script of R":               {"install.R", "install.packages('ggplot2')\ndevtools::install_github('x/y')", "", "install.R"},
		"a damaged lock of R":         {"renv.lock", "{", "", "renv.lock"},
		"Julia":                       {"Project.toml", "[deps]\nPlots = '91a5bcdd'", "", "Project.toml"},
		"old Julia":                   {"REQUIRE", "julia 0.6", "", "REQUIRE"},
		"Nix":                         {"default.nix", "{}", "", "default.nix"},
		"a script that starts":        {"start", "#!/bin/bash\nexec \"$@\"", "", "start"},
		"in Binder's folder":          {"binder/start", "#!/bin/bash\nexec \"$@\"", "", "binder/start"},
		"variables of conda":          {"environment.yml", "variables: {DATA: here}\ndependencies: [numpy]", "numpy", "environment.yml: variables"},
		"other lists of conda":        {"environment.yml", "dependencies: [{npm: [x]}, {'sel(linux)': numpy}, {pip: six}, [y], {pip: [[z]]}, null]", "", "environment.yml: npm|environment.yml: sel(linux)|environment.yml: pip|environment.yml: dependencies|environment.yml: pip"},
		"a name twice in YAML":        {"environment.yml", "x: &x numpy\ndependencies: [*x, {pip: &y [six]}]", "six|numpy", ""},
		"groups":                      {"pyproject.toml", "[project]\ndependencies = ['six']\n[dependency-groups]\ndev = ['ruff']\n", "six", "pyproject.toml: dependency-groups.dev"},
		"the package itself":          {"pyproject.toml", "[build-system]\nrequires = ['hatchling']\n[project]\nname = 'x'\ndependencies = ['six']\n", "six", "pyproject.toml: build-system"},
		"Poetry beside the project's": {"pyproject.toml", "[project]\ndependencies = ['six']\n[tool.poetry.dependencies]\npython = '^3.9'\nSix = {source = 'x'}\nnumpy = '^1'\n", "six", "numpy"},
		"groups of Poetry":            {"pyproject.toml", "[tool.poetry.group.dev.dependencies]\nruff = '*'\n[tool.poetry.dev-dependencies]\npytest = '*'\n", "", "pyproject.toml: tool.poetry.dev-dependencies|pyproject.toml: tool.poetry.group.dev.dependencies"},
		"other tools":                 {"pyproject.toml", "[tool.pixi.dependencies]\nnumpy = '*'\n[tool.uv]\ndev-dependencies = ['x']\n[tool.hatch.envs.docs]\ndependencies = ['y']\n[tool.x]\ndependencies = []\n", "", "pyproject.toml: tool.hatch.envs.docs.dependencies|pyproject.toml: tool.pixi.dependencies|pyproject.toml: tool.uv.dev-dependencies"},
	} {
		found := read(t, map[string]string{test.path: test.text})
		if lines := strings.Join(linesOf(found), "|"); lines != test.lines || strings.Join(leftOf(found), "|") != test.left {
			t.Errorf("%s: %q are wanted, %q left out", name, lines, leftOf(found))
		}
	}
	found := read(t, map[string]string{"setup.py": "x", "start": "y", "default.nix": "z"})
	if len(found.NeverInstalled()) != 2 || len(found.Files) != 1 || found.Files["default.nix"] != "z" || !found.BeyondPip() {
		t.Errorf("A builder gets %v, and never installs %+v", found.Files, found.NeverInstalled())
	}
	if why := found.LeftOut()[2].Why; !strings.Contains(why, "own package isn't installed, and neither is what it needs") {
		t.Errorf("setup.py is left out because: %s", why)
	}
}

func TestContradictionsAreFoundBeforeAnIndexIsAsked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ path, text, wish, first, second string }{
		"two pins":            {"requirements.txt", "# two\nsix==1.15.0\n\nsix==1.16.0\n", "six", "line 2 of requirements.txt", "line 4 of requirements.txt"},
		"other spellings":     {"requirements.txt", "ruamel.yaml<0.17\nattrs\nRuamel_YAML>=0.18\n", "Ruamel_YAML", "line 1 of requirements.txt", "line 3 of requirements.txt"},
		"over several lines":  {"requirements.txt", "six \\\n  ==1.15.0\nsix[x] ~=1.16\n", "six", "line 1 of requirements.txt", "line 3 of requirements.txt"},
		"pip's list in conda": {"environment.yml", "dependencies:\n  - pip:\n    - six<1\n    - six>=1.16\n", "six", "line 3 of environment.yml", "line 4 of environment.yml"},
		"conda's own":         {"environment.yml", "dependencies:\n  - numpy=1.21\n  - conda-forge::numpy>=2\n", "numpy", "line 2 of environment.yml", "line 3 of environment.yml"},
		"a project's":         {"pyproject.toml", "[project]\ndependencies = [\n  'six==1',\n  'six==2',\n]\n", "six", "line 3 of pyproject.toml", "line 4 of pyproject.toml"},
	} {
		found := read(t, map[string]string{test.path: test.text})
		err := found.Contradiction()
		if err == nil || diagnosis.CodeOf(err) != diagnosis.VersionConflict {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, word := range []string{test.wish, test.first, test.second} {
			if !strings.Contains(fault.MessageOf(err), word) {
				t.Errorf("%s: %s isn't in %q", name, word, fault.MessageOf(err))
			}
		}
	}
	for _, text := range []string{
		"six\nsix==1.16.0", "six>=1.15\nsix<2", "six==1.*\nsix==1.16.0", "torch==2.0+cu118\ntorch==2.0", "six==1.26\nsix==1.26.0", "six>1.0\nsix<1.0.1",
		"six==1 ; python_version < '3'\nsix==2 ; python_version >= '3'", "six>=2.0rc1\nsix<2.0", "six!=1\nsix>=1", "six~=1.4.2\nsix==1.4.*", "six\nattrs==1\nattrs==1",
	} {
		if err := read(t, map[string]string{"requirements.txt": text}).contradiction; err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := read(t, map[string]string{"environment.yml": "dependencies: [numpy=1.21, {pip: [numpy==2.0]}]"}).contradiction; err != nil {
		t.Errorf("pip takes the place of conda's version, but %v", err)
	}
}

func TestLinesOfPipSayWhereSomethingIsAskedFor(t *testing.T) {
	t.Parallel()
	found := read(t, map[string]string{"environment.yml": "dependencies:\n  - pip:\n    - Six<1\n"})
	for line, want := range map[string]string{
		"The user requested six<1":     "The user requested six<1 (line 3 of environment.yml)",
		"    The user requested six<1": "    The user requested six<1 (line 3 of environment.yml)",
		"The user requested attrs":     "The user requested attrs", "six 1 depends on attrs": "six 1 depends on attrs",
	} {
		if got := found.Located(line); got != want {
			t.Errorf("%q becomes %q", line, got)
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
		"numpy 1.2|1.3": "", "numpy[version='>1']": "", "numpy=1.2,<2": "", "=1": "", "ruby=3": "", "_libx": "", "r-dplyr~=1": "", "python[x]": "",
	} {
		found := Requirements{}
		found.addConda(wish)
		got := ""
		if len(found.conda) == 1 {
			got = found.conda[0].Line
		}
		if got != want || want == "" && len(found.beyond)+len(found.left) != 1 || want != "" && found.conda[0].String() != wish+" (conda)" {
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
		"a package of R":     {"dependencies: [r-dplyr, bioconductor-deseq2, rpy2]", "rpy2", "bioconductor-deseq2 (conda)"},
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
			t.Errorf("%q isn't a name of conda", line)
		}
		if _, ok := parseRequirement(words[len(words)-1]); !ok || len(words) > 2 || len(words) == 2 && words[0] == words[1] {
			t.Errorf("%q isn't a name of the index", line)
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
	if left := found.LeftOut(); err != nil || len(found.Packages) != 0 || len(left) != 1 || left[0].What != "environment.yml" || left[0].Why != "The file is longer than 256 KiB." {
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
