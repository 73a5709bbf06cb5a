package demo

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	python  = "/usr/bin/python3"
	rscript = "/usr/bin/Rscript"
)

type notebook struct {
	Format   int `json:"nbformat"`
	Minor    int `json:"nbformat_minor"`
	Metadata struct {
		Kernel struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
	} `json:"metadata"`
	Cells []struct {
		ID       string   `json:"id"`
		CellType string   `json:"cell_type"`
		Source   []string `json:"source"`
		Outputs  []struct {
			OutputType string                     `json:"output_type"`
			Name       string                     `json:"name"`
			Data       map[string]json.RawMessage `json:"data"`
		} `json:"outputs"`
	} `json:"cells"`
}

func readNotebook(t *testing.T, tree fs.FS, name string) (notebook, []byte) {
	t.Helper()
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		t.Fatal(err)
	}
	var book notebook
	if err := json.Unmarshal(data, &book); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if book.Format != 4 || book.Minor < 5 || len(book.Cells) == 0 {
		t.Fatalf("%s: nbformat %d.%d with %d cells", name, book.Format, book.Minor, len(book.Cells))
	}
	return book, data
}

// homePattern matches paths on the machine on which a notebook ran.
var homePattern = regexp.MustCompile(`/(root|home|work|tmp|Users)/|ipykernel_[0-9]`)

func TestNotebooksHaveOutputsAndNoErrors(t *testing.T) {
	names, err := fs.Glob(NotebookFS(), "*.ipynb")
	if err != nil || len(names) != 7 {
		t.Fatalf("%d notebooks, %v", len(names), err)
	}
	for _, name := range names {
		book, data := readNotebook(t, NotebookFS(), name)
		if len(data) > 250_000 {
			t.Errorf("%s has %d bytes", name, len(data))
		}
		if found := homePattern.Find(data); found != nil {
			t.Errorf("%s holds %q", name, found)
		}
		pictures, seen := 0, map[string]bool{}
		for _, cell := range book.Cells {
			if cell.ID == "" || seen[cell.ID] {
				t.Errorf("%s: cell id %q is missing or stands twice", name, cell.ID)
			}
			seen[cell.ID] = true
			for _, output := range cell.Outputs {
				if output.OutputType == "error" || output.Name == "stderr" {
					t.Errorf("%s: cell %s ends in an error or a warning", name, cell.ID)
				}
				var encoded string
				if raw, ok := output.Data["image/png"]; ok {
					pictures++
					if err := json.Unmarshal(raw, &encoded); err != nil {
						t.Errorf("%s: %v", name, err)
					}
					picture, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(encoded, "\n", ""))
					if err == nil {
						_, err = png.DecodeConfig(bytes.NewReader(picture))
					}
					if err != nil {
						t.Errorf("%s: cell %s: %v", name, cell.ID, err)
					}
				}
			}
		}
		if pictures < 2 {
			t.Errorf("%s has %d pictures", name, pictures)
		}
	}
}

// script joins the code cells of a notebook into a program.
func script(book notebook) string {
	var code strings.Builder
	for _, cell := range book.Cells {
		if cell.CellType == "code" {
			code.WriteString(strings.Join(cell.Source, "") + "\n\n")
		}
	}
	return code.String()
}

// runPython runs a program in a folder, without a display or this process's environment.
func runPython(t *testing.T, folder string, environment []string, arguments ...string) string {
	t.Helper()
	return run(t, folder, environment, python, arguments...)
}

func run(t *testing.T, folder string, environment []string, program string, arguments ...string) string {
	t.Helper()
	command := exec.Command(program, arguments...)
	command.Dir = folder
	command.Env = append([]string{
		"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + t.TempDir(), "MPLBACKEND=Agg", "PYTHONDONTWRITEBYTECODE=1",
	}, environment...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// TestThoroughNotebooksRun runs the bundled notebooks from top to bottom, with warnings as errors.
func TestThoroughNotebooksRun(t *testing.T) {
	names, err := fs.Glob(NotebookFS(), "*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book, _ := readNotebook(t, NotebookFS(), name)
			program := filepath.Join(t.TempDir(), "program")
			text := script(book) + "\nprint('figures', len(plt.get_fignums()))\n"
			if book.Metadata.Kernel.Language == "R" {
				text = "options(warn = 2)\nfigures <- 0\nsetHook('plot.new', function() figures <<- figures + 1)\npdf(NULL)\n" + script(book) + "\ncat('figures ', figures, '\\n', sep = '')\n"
			}
			if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var output string
			if book.Metadata.Kernel.Language == "R" {
				output = run(t, t.TempDir(), nil, rscript, "--vanilla", program)
			} else {
				output = runPython(t, t.TempDir(), []string{"PYTHONWARNINGS=error:::__main__"}, program)
			}
			pictures := 0
			for _, cell := range book.Cells {
				for _, one := range cell.Outputs {
					if _, ok := one.Data["image/png"]; ok {
						pictures++
					}
				}
			}
			if want := fmt.Sprintf("figures %d\n", pictures); !strings.HasSuffix(output, want) {
				t.Errorf("want %s, got\n%s", want, output)
			}
		})
	}
}

// TestFirstStepsNotebookRuns runs it as a session would: the repository cloned, with the datasets beside it or without.
func TestFirstStepsNotebookRuns(t *testing.T) {
	dir := install(t)
	work := t.TempDir()
	folder := filepath.Join(work, "first-steps")
	git(t, "clone", "--quiet", repositoryPath(dir), folder)
	book, _ := readNotebook(t, os.DirFS(folder), "first-steps.ipynb")
	program := filepath.Join(work, "program.py")
	pictures := "\nprint('figures', len(plt.get_fignums()))\n"
	if err := os.WriteFile(program, []byte(script(book)+pictures), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{filepath.Join(dir, "datasets"), t.TempDir()} {
		output := runPython(t, folder, []string{"CAIRN_DATASETS=" + root, "PYTHONPATH=" + folder}, program)
		for _, want := range []string{
			"argon-energy: README.md, argon-energy.csv, generate.py",
			"32 spikes, 27 of them during the current step: 45 per second",
			"temperature 92.1 K, fluctuating by 4.6 K",
			"figures 2",
		} {
			if !strings.Contains(output, want) {
				t.Errorf("%q is missing in:\n%s", want, output)
			}
		}
	}
}

// TestNotebooksSayWhatIsMissing runs first code cells without matplotlib; IPython shows a UsageError as one line.
func TestNotebooksSayWhatIsMissing(t *testing.T) {
	names, err := fs.Glob(NotebookFS(), "*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { // R has all that its notebooks need
		book, _ := readNotebook(t, NotebookFS(), name)
		return book.Metadata.Kernel.Language != "python"
	})
	program := "import sys\nsys.modules['matplotlib'] = None\nfrom IPython.core.error import UsageError\n"
	for _, name := range names {
		book, _ := readNotebook(t, NotebookFS(), name)
		first, _, _ := strings.Cut(script(book), "\nplt.rcParams")
		program += "try:\n    exec(" + pythonString(first) + ", {})\nexcept UsageError as error:\n    print('" + name + ":', error)\n"
	}
	output := runPython(t, t.TempDir(), nil, "-c", program)
	for _, name := range names {
		if !strings.Contains(output, name+": This notebook needs numpy and matplotlib, and matplotlib") {
			t.Errorf("%s does not say it:\n%s", name, output)
		}
	}
}

func pythonString(text string) string {
	quoted, err := json.Marshal(text) // JSON strings are Python strings
	if err != nil {
		panic(err)
	}
	return string(quoted)
}

func TestDatasetsAreWhatTheirProgramsMake(t *testing.T) {
	for name, tree := range datasets() {
		readme, err := fs.ReadFile(tree, "README.md")
		if err != nil {
			t.Error(err)
			continue
		}
		tables, err := fs.Glob(tree, "*.csv")
		if err != nil || len(tables) != 1 {
			t.Errorf("%s has the tables %v, %v", name, tables, err)
			continue
		}
		data, err := fs.ReadFile(tree, tables[0])
		if err != nil || len(data) > 100_000 {
			t.Errorf("%s has %d bytes, %v", name, len(data), err)
		}
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil || !bytes.Contains(readme, fmt.Appendf(nil, "and %d rows", len(rows)-1)) {
			t.Errorf("%s: %d rows, which the README doesn't say; %v", name, len(rows)-1, err)
			continue
		}
		for _, column := range rows[0] {
			if !bytes.Contains(readme, []byte("\n| `"+column+"` |")) {
				t.Errorf("%s: the README doesn't explain the column %s", name, column)
			}
		}
		folder := t.TempDir()
		if err := os.CopyFS(folder, tree); err != nil {
			t.Fatal(err)
		}
		arguments := []string{"generate.py"}
		if name == "argon-energy" { // its whole run takes a while
			arguments = append(arguments, "--steps=100")
		}
		made := runPython(t, folder, nil, arguments...)
		if whole := len(arguments) == 1; len(made) < 1000 || !strings.HasPrefix(string(data), made) || (whole && made != string(data)) {
			t.Errorf("%s: the program makes another file", name)
		}
	}
}
