package environments

import (
	"strings"
	"testing"

	"cairn/internal/sessions/engine/requirements"
)

func TestTheLibraryOfRTellsWhatItLacks(t *testing.T) {
	t.Parallel()
	library := installedR{Version: "4.2.2", Packages: map[string]string{"MASS": "7.3-58.2", "glue": "1.6.2", "stats": "4.2.2"}, Base: []string{"stats"}}
	wanted, err := requirements.Read(requirements.FromTexts(map[string]string{
		"environment.yml": "dependencies: [r-base=4.3, r-mass, 'r-glue>=2', r-stats, r-dplyr]",
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	there, lacking, left := library.split(wanted.R)
	if strings.Join(there, ", ") != "MASS 7.3-58.2 (R)" {
		t.Errorf("It has %q", there)
	}
	if len(lacking) != 2 || lacking[0].Name != "glue" || lacking[1].Name != "dplyr" {
		t.Errorf("It lacks %+v", lacking)
	}
	if len(left) != 1 || left[0].What != "R == 4.3.*" || left[0].Why != "Sessions of this server have R 4.2.2." {
		t.Errorf("It leaves out %+v", left)
	}
}

func TestWithoutARepositoryPackagesOfRAreLeftOut(t *testing.T) {
	t.Parallel()
	opened := openTestInstaller(t, Options{})
	wanted, err := requirements.Read(requirements.FromTexts(map[string]string{"install.R": "install.packages(c('stats', 'cairnunknown'))"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, install, left := opened.planR(wanted.R)
	if _, err := findR(); err != nil {
		if len(install) > 0 || len(left) != 2 || !strings.Contains(left[0].Why, "apt-get install r-base-core") {
			t.Errorf("Without R: %+v, %+v", install, left)
		}
		return
	}
	if len(install) > 0 || len(left) != 1 || left[0].What != "cairnunknown (R)" || !strings.Contains(left[0].Why, "sessions.r.repository") {
		t.Errorf("It installs %+v and leaves out %+v", install, left)
	}
}
