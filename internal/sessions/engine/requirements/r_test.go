package requirements

import (
	"fmt"
	"strings"
	"testing"
)

// What follows // is R itself, or a package of R; what is left out follows a bar.
func TestPackagesOfR(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  string
		left  string
	}{
		"a package's own description": {
			map[string]string{"DESCRIPTION": "Package: x\nDepends: R (>= 4.1),\n  methods\nImports: dplyr (>= 1.0),\n    ggplot2\nLinkingTo: Rcpp\nSuggests: y\nRemotes: me/mine\n"},
			"R >= 4.1, methods (R), dplyr >= 1.0 (R), ggplot2 (R), Rcpp (R)", "me/mine (R)",
		},
		"an odd description": {
			map[string]string{"DESCRIPTION": "Imports: dplyr (about 1.0), 2fast, , a b\n"}, "", "dplyr (about 1.0) (R), 2fast (R), a b (R)",
		},
		"a lock": {
			map[string]string{"renv.lock": `{"R": {"Version": "4.2.3", "Repositories": []}, "Packages": {
				"dplyr": {"Package": "dplyr", "Version": "1.1.0", "Source": "Repository", "Repository": "CRAN"},
				"MASS": {"Package": "MASS", "Version": "7.3-58", "Source": "Repository"}, "renv": {"Package": "renv", "Version": "1.0.0", "Source": "Repository"},
				"mine": {"Package": "mine", "Version": "0.1", "Source": "GitHub"}, "odd": {"Package": "../odd", "Version": "1"}}}`},
			"R == 4.2.*, MASS == 7.3-58 (R), dplyr == 1.1.0 (R)", "mine 0.1 from GitHub (R), ../odd (R)",
		},
		"a lock beside a description": {
			map[string]string{"renv.lock": `{"Packages": {"dplyr": {"Version": "1.1.0"}}}`, "DESCRIPTION": "Imports: dplyr (>= 1.0), tidyr\n"},
			"dplyr == 1.1.0 (R), tidyr (R)", "",
		},
		"a script": {
			map[string]string{"install.R": "# install.packages('no')\ninstall.packages(\"ggplot2\", # '\n  repos = 'https://cran.example', dependencies=TRUE); install.packages(c('dplyr',\n  'me/mine'))\ninstall.packages(pkgs = 'MASS')\n"},
			"ggplot2 (R), dplyr (R), MASS (R)", "me/mine (R)",
		},
		"a script that does more": {
			map[string]string{"install.R": "if (!require('ggplot2')) install.packages('ggplot2') # '\ninstall.packages('MASS')\n"}, "ggplot2 (R), MASS (R)", "install.R",
		},
		"a script that computes": {map[string]string{"install.R": "install.packages(needed)\n"}, "", "install.R"},
		"a version of R":         {map[string]string{"runtime.txt": "r-4.2-2024-01-01"}, "R == 4.2.*", ""},
		"an odd version of R":    {map[string]string{"runtime.txt": "r-latest"}, "", "runtime.txt"},
		"an environment of conda": {
			map[string]string{"environment.yml": "dependencies: [r-base=4.2, r-irkernel, r-dplyr, 'conda-forge::r-mass >=7.3,<8', r-sf=1.0_1, 'r-odd ~=1']\n"},
			"R == 4.2.*, dplyr (R), mass >= 7.3, < 8 (R), sf == 1.0-1.* (R)", "r-odd ~=1 (conda)",
		},
		"the same twice": {
			map[string]string{"DESCRIPTION": "Imports: MASS, dplyr (>= 1.0)\n", "install.R": "install.packages(c('MASS', 'dplyr'))"}, "MASS (R), dplyr >= 1.0 (R)", "",
		},
	} {
		found := read(t, test.files)
		var names []string
		for _, one := range found.R {
			names = append(names, one.String())
		}
		if got := strings.Join(names, ", "); got != test.want || strings.Join(leftOf(found), ", ") != test.left {
			t.Errorf("%s: %q are wanted, %q left out", name, got, leftOf(found))
		}
		if len(found.Packages) > 0 || len(found.LeaveR("x")) != len(found.R) {
			t.Errorf("%s: %q are wanted of pip", name, linesOf(found))
		}
	}
}

func TestTooManyPackagesOfR(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	for i := range 3_000 {
		fmt.Fprintf(&script, "install.packages('p%d')\n", i)
	}
	found := read(t, map[string]string{"install.R": script.String(), "DESCRIPTION": strings.Repeat("\n", 200_000)})
	if left := leftOf(found); len(found.R) != mostR || len(left) != 1 || left[0] != "install.R" {
		t.Errorf("%d packages are wanted, %q left out", len(found.R), left)
	}
}

func TestVersionsOfR(t *testing.T) {
	t.Parallel()
	for text, holds := range map[string]bool{
		"1.10 == 1.10": true, "1.10 == 1.1": false, "1.10 >= 1.9": true, "1.2 >= 1.2.1": false, "7.3-58.2 > 7.3-58": true, "7.3-58 == 7.3.58": true, "2 < 10": true,
		"2 <= 2": true, "2 != 2": false, "4.2.2 == 4.2.*": true, "4.20 == 4.2.*": false, "4.2 == 4.2.*": true, "4 == 4.2.*": false,
	} {
		words := strings.Fields(text)
		one := RPackage{Name: "x", Conditions: []RCondition{{words[1], words[2]}}}
		if one.IsFulfilledBy(words[0]) != holds {
			t.Errorf("%s: %v", text, !holds)
		}
	}
	between := RPackage{Name: "x", Conditions: []RCondition{{">=", "1"}, {"<", "2"}}}
	if !between.IsFulfilledBy("1.5") || between.IsFulfilledBy("2.0") || between.IsFulfilledBy("0.9") {
		t.Error("one of two conditions is forgotten")
	}
	if _, exact := between.Exact(); exact {
		t.Error("a range is one version")
	}
}
