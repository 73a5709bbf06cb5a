package codehost_test

import (
	"testing"

	"cairn/internal/entries/codehost"
)

// Addresses as people copy them.
func TestAddressesOfOddNames(t *testing.T) {
	for address, want := range map[string]string{
		"https://gitlab.com/g/s/p/-/tree/main/x":             "gitlab.com g/s p",
		"https://gitlab.com/g/s/t/p.git":                     "gitlab.com g/s/t p",
		"https://gitlab.com/g/s/tree":                        "gitlab.com g/s tree",
		"https://gitlab.com/g/s/blob.git":                    "gitlab.com g/s blob",
		"https://gitlab.com/g/p.git/-/tree/main":             "gitlab.com g p",
		"https://codeberg.org/o/n/src/tag/v1/x":              "codeberg.org o n",
		"https://codeberg.org/o/n/raw/commit/abc/x":          "codeberg.org o n",
		"https://bitbucket.org/o/n/src/main/":                "bitbucket.org o n",
		"https://bitbucket.org/o/n/src":                      "bitbucket.org o n",
		"https://www.bitbucket.org/o/n/src/feature%2Fx/a.py": "bitbucket.org o n",
		"https://github.com/o/n/tree/main":                   "github.com o n",
	} {
		got, err := codehost.Parse(address)
		if said := got.Host + " " + got.Owner + " " + got.Name; err != nil || said != want {
			t.Errorf("%s: %s %v", address, said, err)
		}
	}
	for address, want := range map[string]string{
		"https://bitbucket.org/o/n/src/main/a.ipynb":                 "https://bitbucket.org/o/n/raw/main/a.ipynb",
		"https://codeberg.org/o/n/src/branch/main/a.ipynb":           "https://codeberg.org/o/n/raw/branch/main/a.ipynb",
		"https://gitlab.com/g/s/p/-/blob/main/a.ipynb":               "https://gitlab.com/g/s/p/-/raw/main/a.ipynb",
		"https://gitlab.com/g/s/src/tag/-/blob/main/a.ipynb":         "https://gitlab.com/g/s/src/tag/-/raw/main/a.ipynb",
		"https://gitlab.com/g/s/blob/-/blob/main/a.ipynb":            "https://gitlab.com/g/s/blob/-/raw/main/a.ipynb",
		"https://www.bitbucket.org/o/n/src/main/a%20b%23.ipynb?at=x": "https://www.bitbucket.org/o/n/raw/main/a%20b%23.ipynb",
	} {
		page, ok := codehost.ParseFilePage(address)
		if got := page.Raw(page.RefAndPath...); !ok || got != want {
			t.Errorf("%s: %s (%+v)", address, got, page)
		}
	}
}
