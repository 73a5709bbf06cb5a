package main

import (
	"encoding/json"
	"runtime/debug"
	"testing"
)

type inventory struct {
	Components []struct {
		Name, Version, License string
		Files                  []struct{ Name, Text string }
	}
	Texts map[string]string
}

// listed returns what `cairn licenses --json` prints.
func listed(t *testing.T, arguments ...string) inventory {
	t.Helper()
	out, said, code := run(t, append([]string{"licenses", "--json"}, arguments...)...)
	var list inventory
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
		t.Fatalf("%v, %d: %s", err, code, said)
	}
	return list
}

// This test binary links everything that the binary links.
func TestEveryModuleOfTheBinaryHasItsLicense(t *testing.T) {
	versions := map[string]string{}
	for _, component := range listed(t).Components {
		versions[component.Name] = component.Version
	}
	info, _ := debug.ReadBuildInfo()
	if info == nil || len(info.Deps) < 40 {
		t.Fatalf("the build says too little of its modules: %v", info)
	}
	for _, module := range info.Deps {
		if versions[module.Path] != module.Version {
			t.Errorf("%s %s: the list of licenses has version %q; make generate writes it", module.Path, module.Version, versions[module.Path])
		}
	}
}

func TestLicensesOfOneComponentAsJSON(t *testing.T) {
	react := listed(t, "react")
	if len(react.Components) != 1 || len(react.Texts) != 1 || react.Components[0].License != "MIT" {
		t.Fatalf("%+v", react)
	}
	if react.Texts[react.Components[0].Files[0].Text] == "" {
		t.Errorf("the text is missing: %+v", react)
	}
}
