package main

import (
	"fmt"
	"slices"

	"github.com/google/licensecheck"
)

// allowed are the licenses under which third-party code may be in the binary: those that only require their text and a
// notice, which `cairn licenses` and /licenses.txt contain.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "OFL-1.1", "SMLNJ", "Unlicense", "blessing"}

// exceptions are licenses that one component may have and others may not.
var exceptions = map[string]string{
	// Its files stay under this license and nothing else has to; they are unchanged, and the list says where their source
	// is.
	"github.com/hashicorp/golang-lru/v2": "MPL-2.0",
}

// reviewed are texts that aren't, or aren't mostly, licenses known to licensecheck: by key, the licenses that a person
// found in them. A text that changes by a letter has another key, and is reviewed again.
var reviewed = map[string][]string{
	"038f0832ea42": {"SMLNJ"},                               // goja, ftoa: its words, with Lucent as the holder
	"0e57eeaccc07": {"BSD-2-Clause"},                        // entities: its words, cut in the middle of a sentence
	"14088888f59c": {"blessing"},                            // SQLite is in the public domain
	"ce9c578c2968": {},                                      // memory: the origin of its logo, which isn't in the binary
	"d6f12a924d5f": {"BSD-3-Clause", "MIT"},                 // regexp2: what it was ported from
	"d782121ab8bc": {"BSD-3-Clause", "MIT", "blessing"},     // sqlite, section 1: nothing from the other sections is linked
	"de2e7c240a45": {"BSD-2-Clause", "BSD-3-Clause", "MIT"}, // libc: musl and others
}

// mostly is the percentage of a text that known licenses must make up; the rest is names, years and headings.
const mostly = 75

// identify returns the SPDX identifiers of the licenses in a text. The error continues a sentence that begins with its
// name.
func identify(text string) ([]string, error) {
	if found, isReviewed := reviewed[keyOf(text)]; isReviewed {
		return found, nil
	}
	coverage := licensecheck.Scan([]byte(text))
	if coverage.Percent < mostly {
		return nil, fmt.Errorf("is no license that is known (%.0f %% of it is); read it, then enter its key %s and its licenses in internal/foundation/licenses/gather/rules.go", coverage.Percent, keyOf(text))
	}
	var found []string
	for _, match := range coverage.Match {
		if !slices.Contains(found, match.ID) {
			found = append(found, match.ID)
		}
	}
	return found, nil
}

func isAllowed(name, identifier string) bool {
	return slices.Contains(allowed, identifier) || exceptions[name] == identifier
}
