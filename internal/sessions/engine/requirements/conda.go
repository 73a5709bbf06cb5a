package requirements

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// condaNames are the names that packages of conda have on the index of pip, where they differ.
var condaNames = map[string]string{
	"dask-core": "dask", "faiss": "faiss-cpu", "faiss-gpu": "faiss-cpu", "geopandas-base": "geopandas", "jupyter_client": "jupyter-client", "matplotlib-base": "matplotlib",
	"mne-base": "mne", "msgpack-python": "msgpack", "opencv": "opencv-python", "py-opencv": "opencv-python", "py-xgboost": "xgboost", "pyqt": "PyQt5", "pytables": "tables",
	"python-graphviz": "graphviz", "pytorch": "torch", "pytorch-cpu": "torch", "pytorch-gpu": "torch", "seaborn-base": "seaborn", "tensorflow-gpu": "tensorflow",
}

// condaMeans are packages that only say how an environment is made.
var condaMeans = []string{"pip", "setuptools", "wheel", "conda", "mamba", "python_abi", "_libgcc_mutex", "_openmp_mutex"}

// condaPrograms are programs and libraries in conda whose names on the index of pip belong to something else.
var condaPrograms = []string{
	"blas", "boost", "bzip2", "c-compiler", "ca-certificates", "clang", "compilers", "cudatoolkit", "cudnn", "curl", "cxx-compiler", "eigen", "expat", "ffmpeg", "fftw",
	"fontconfig", "fortran-compiler", "freetype", "gcc", "gdal-bin", "git", "git-lfs", "glib", "go", "graphviz", "gsl", "gxx", "hdf5", "icu", "java", "jpeg", "julia", "krb5",
	"libffi", "libgcc-ng", "libgomp", "libpng", "libstdcxx-ng", "llvm", "lz4-c", "make", "mpich", "ncurses", "ninja-build", "nodejs", "nomkl", "openblas", "openjdk", "openmpi",
	"openssl", "pandoc", "perl", "poppler", "postgresql", "proj", "qt", "readline", "ruby", "rust", "samtools", "snappy", "sqlite", "swig", "tk", "tree", "unzip", "wget", "xz", "zip",
	"zlib", "zstd",
}

// addEnvironment reads an environment of conda, and the list for pip in it.
func (r *Requirements) addEnvironment(one file) {
	var environment struct {
		Dependencies []any `yaml:"dependencies"`
	}
	if err := yaml.Unmarshal([]byte(one.text), &environment); err != nil {
		r.leave(one.path, "The file can't be read as a conda environment.")
		return
	}
	for _, wish := range environment.Dependencies {
		switch wish := wish.(type) {
		case string:
			r.addConda(wish)
		case map[string]any:
			lines, _ := wish["pip"].([]any)
			for _, line := range lines {
				text, _ := line.(string)
				if option := strings.Fields(text); len(option) == 2 && strings.HasPrefix(option[0], "-r") && option[1] == listName {
					continue // it is read anyway
				}
				r.add(strings.TrimRight(text, "\n"))
			}
		}
	}
}

var (
	condaForm = regexp.MustCompile(`^(?:[A-Za-z0-9_./-]+::)?([A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(.*)$`)
	exactForm = regexp.MustCompile(`^[0-9][A-Za-z0-9.!+_]*$`)
)

// addConda reads one package of conda, such as numpy, conda-forge::numpy>=1.2 or numpy=1.2.3=py39_0.
func (r *Requirements) addConda(wish string) {
	wish = strings.TrimSpace(visible(wish))
	found := condaForm.FindStringSubmatch(wish)
	if found == nil {
		if wish != "" {
			r.leaveBeyond(wish+" (conda)", whyVersion)
		}
		return
	}
	name, condition := strings.ToLower(found[1]), pipVersions(found[2])
	versions, ok := parseVersions(condition)
	switch {
	case name == python && found[2] != "" && !ok:
		r.leaveBeyond(wish+" (conda)", whyVersion)
	case name == python:
		r.wantPython(condition)
	case slices.Contains(condaMeans, name):
	case strings.HasPrefix(name, "r-"):
		r.leaveBeyond(wish+" (conda)", whyR)
	case strings.HasPrefix(name, "_") || slices.Contains(condaPrograms, name):
		r.leaveBeyond(wish+" (conda)", whyNoPython)
	case !ok:
		r.leaveBeyond(wish+" (conda)", whyVersion)
	default:
		asked := requirement{name: name, versions: versions}
		if other := condaNames[name]; other != "" {
			asked.name = other
		}
		r.conda = append(r.conda, Package{Name: asked.name, Conda: wish, Line: asked.String()})
	}
}

// pipVersions translates a condition of conda for pip; what it can't translate, pip can't read either.
func pipVersions(condition string) string {
	condition = strings.TrimSpace(condition)
	exact, exactly := strings.CutPrefix(condition, "==")
	loose, loosely := strings.CutPrefix(condition, "=")
	switch {
	case condition == "" || condition == "*" || condition == "=*":
		return ""
	case exactly:
		exact, _, _ = strings.Cut(exact, "=") // before the name of a build
		return "==" + exact
	case loosely && !strings.Contains(loose, ","):
		version, _, built := strings.Cut(loose, "=")
		if version = strings.TrimSpace(version); !built && exactForm.MatchString(version) {
			version += ".*"
		}
		return "==" + version
	case exactForm.MatchString(strings.Fields(condition)[0]):
		return "==" + strings.Fields(condition)[0]
	case strings.HasSuffix(condition, "*") && exactForm.MatchString(strings.TrimRight(condition, ".*")):
		return "==" + strings.TrimRight(condition, ".*") + ".*"
	}
	return condition
}

func sortedKeys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
