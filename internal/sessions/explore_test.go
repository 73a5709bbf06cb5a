package sessions

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// makeData writes a file of each form in Python, because its libraries write the binary ones.
const makeData = `
import os, sys, json
import numpy as np
from scipy.io import netcdf_file
os.chdir(sys.argv[1])
open("a table.csv", "w").write("# made by a test\ntime;voltage;note\n" + "".join(f"{i};{i * i};x\n" for i in range(50)))
open("b.tsv", "w").write("1\t2\n3\t4\n5\t\n")
json.dump([{"x": 1, "y": "a"}, {"x": 2, "y": "b"}], open("c.json", "w"))
json.dump({"meta": "text", "x": [1, 2, 3]}, open("d.json", "w"))
np.save("e.npy", np.arange(12.0).reshape(6, 2))
np.savez("f.npz", left=np.arange(3), right=np.arange(3))
with netcdf_file("g.nc", "w") as file:
    file.createDimension("t", 4)
    file.createVariable("heat", "f8", ("t",))[:] = np.arange(4.0)
open("h.h5", "wb").write(b"no HDF5")
open("i.csv", "w").write("")
open("j.npy", "wb").write(b"broken")
open("k.png", "wb").write(b"\x89PNG")
np.save("l.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
`

const report = `
print("FIGURES", len(plt.get_fignums()), [axis.get_ylabel() for number in plt.get_fignums() for axis in plt.figure(number).axes])
print("TABLES", {name: sorted(table) for name, table in tables.items()})
`

func TestTheNotebookOfDatasetsLoadsAndPlots(t *testing.T) {
	t.Parallel()
	var notebook struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source []string
		}
	}
	if err := json.Unmarshal(exploreNotebook, &notebook); err != nil {
		t.Fatal(err)
	}
	var program strings.Builder
	for _, cell := range notebook.Cells {
		if cell.Type == "code" {
			program.WriteString(strings.Join(cell.Source, "") + "\n")
		}
	}
	python := func(folder, program string) string {
		command := exec.Command("/usr/bin/python3", "-W", "error", "-c", program, folder)
		command.Env = append(os.Environ(), "MPLBACKEND=Agg", "MPLCONFIGDIR="+t.TempDir(), "CAIRN_DATASETS="+folder)
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		return string(output)
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "set"), 0o755); err != nil {
		t.Fatal(err)
	}
	python(filepath.Join(folder, "set"), makeData)
	quiet := "import warnings\nwarnings.filterwarnings('ignore', message='.*non-interactive.*|.*non-GUI.*')\n"
	output := python(folder, quiet+program.String()+report)
	for _, want := range []string{
		"bytes  set/a table.csv",
		"FIGURES 3 ['voltage', 'column 2', 'x']", // columns that rise are what others are drawn over
		"'set/a table.csv': ['time', 'voltage']", "'set/c.json': ['x']", "'set/d.json': ['x']",
		"'set/e.npy': ['e[0]', 'e[1]']", "'set/f.npz': ['left', 'right']", "'set/g.nc': ['heat']",
		"set/h.h5 was left out: ", "set/j.npy was left out: ", "set/l.npy was left out: ",
		"voltage: mean 808.5, from 0 to 2401",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("%q is not in\n%s", want, output)
		}
	}
	if output := python(t.TempDir(), quiet+program.String()+report); !strings.Contains(output, "No numeric columns were found.") || !strings.Contains(output, "FIGURES 0 []") {
		t.Errorf("of an empty dataset:\n%s", output)
	}
}
