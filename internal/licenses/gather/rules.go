package main

import (
	"fmt"
	"slices"

	"github.com/google/licensecheck"
)

// allowed are the licenses under which the work of others may be in the binary: those that ask for no more than their
// own text and a notice, which `cairn licenses` and the page of licenses give.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "OFL-1.1", "SMLNJ", "Unlicense", "blessing"}

// exceptions are licenses that one component may have and others may not.
var exceptions = map[string]string{
	// Its files stay under it and nothing else has to; they are used unchanged, and the list says where their source is.
	"github.com/hashicorp/golang-lru/v2": "MPL-2.0",
}

// reviewed are texts that are not, or not mostly, licenses that licensecheck knows: by key, the licenses that a person
// found in them. A text that changes by a letter has another key, and is read again.
var reviewed = map[string][]string{
	"038f0832ea42": {"SMLNJ"},                               // goja, ftoa: its words, with Lucent for the holder
	"14088888f59c": {"blessing"},                            // SQLite is in the public domain
	"ce9c578c2968": {},                                      // memory: where its logo is from, which is not in the binary
	"d6f12a924d5f": {"BSD-3-Clause", "MIT"},                 // regexp2: what it was ported from
	"d782121ab8bc": {"BSD-3-Clause", "MIT", "blessing"},     // sqlite, section 1: of the other sections nothing is linked by it
	"de2e7c240a45": {"BSD-2-Clause", "BSD-3-Clause", "MIT"}, // libc: musl and others
}

// mostly is the part of a text, in percent, that known licenses make up; the rest is names, years and headings.
const mostly = 75

// identify returns the SPDX identifiers of the licenses in a text. The error goes on a sentence that begins with its name.
func identify(text string) ([]string, error) {
	if found, isReviewed := reviewed[keyOf(text)]; isReviewed {
		return found, nil
	}
	coverage := licensecheck.Scan([]byte(text))
	if coverage.Percent < mostly {
		return nil, fmt.Errorf("is no licence that is known (%.0f %% of it is); read it, then enter its key %s and its licences in internal/licenses/gather/rules.go", coverage.Percent, keyOf(text))
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
