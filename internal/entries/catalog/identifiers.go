package catalog

import (
	"regexp"
	"strconv"
	"strings"

	"cairn/internal/foundation/fault"

	"github.com/github/go-spdx/v2/spdxexp"
	"golang.org/x/text/language"
)

var (
	rorPattern    = regexp.MustCompile(`^(?:(?:https?://)?ror\.org/)?(0[a-hj-km-np-tv-z0-9]{6}[0-9]{2})/?$`)
	funderPattern = regexp.MustCompile(`^10\.13039/[0-9]+$`)
)

// ParseROR returns the address at ror.org that is in a text, as in https://ror.org/05a28rw58; "" if there is none with
// valid check digits.
func ParseROR(text string) string {
	found := rorPattern.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if found == nil {
		return ""
	}
	const digits = "0123456789abcdefghjkmnpqrstvwxyz" // Crockford's
	number := 0
	for _, letter := range found[1][:7] {
		number = number*len(digits) + strings.IndexRune(digits, letter)
	}
	// ISO 7064, MOD 97-10
	if check, err := strconv.Atoi(found[1][7:]); err != nil || check != 98-number*100%97 {
		return ""
	}
	return "https://ror.org/" + found[1]
}

// ParseFunderID returns the address of a funder at ror.org or, from the Crossref Funder Registry, at doi.org; "" if a text
// is neither.
func ParseFunderID(text string) string {
	if ror := ParseROR(text); ror != "" {
		return ror
	}
	if doi := ParseDOI(text); funderPattern.MatchString(doi) {
		return "https://doi.org/" + doi
	}
	return ""
}

// ParseLanguage returns a BCP 47 tag in its usual spelling, as in pt-BR; "" if a text is none.
func ParseLanguage(text string) string {
	tag, err := language.Parse(strings.TrimSpace(text))
	if err != nil || tag == language.Und {
		return ""
	}
	return tag.String()
}

// ParseKnownLicense returns an expression of licenses on the SPDX list in their own spelling; "" if a text is none.
func ParseKnownLicense(text string) string {
	if ParseLicense(text) == "" {
		return ""
	}
	known, unknown := spdxexp.ValidateAndNormalizeLicensesWithOptions([]string{text}, spdxexp.ValidateLicensesOptions{})
	if len(unknown) > 0 || len(known) != 1 || len(known[0]) > licenseLimit {
		return ""
	}
	return known[0]
}

// CheckLicense checks a license that somebody chooses. Entries that are older than this rule keep theirs.
func CheckLicense(text string) string {
	if text == "" || ParseKnownLicense(text) != "" {
		return ""
	}
	return fault.Quote(text) + " isn't on the SPDX license list. Write its identifier there, such as MIT or CC-BY-4.0."
}

// Limits of what an entry says about its publication, in characters.
const (
	licenseLimit = 100
	doiLimit     = 200
)

var (
	orcidPattern   = regexp.MustCompile(`^(?:https?://)?(?:www\.)?(?:orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])/?$`)
	doiPattern     = regexp.MustCompile(`^(?i:(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/[^\s"<>]+)$`)
	licensePattern = regexp.MustCompile(`^\(*[A-Za-z0-9][A-Za-z0-9.:+-]*\)*(?: (?:AND|OR|WITH) \(*[A-Za-z0-9][A-Za-z0-9.:+-]*\)*)*$`)
)

// ParseORCID returns the id in a text or an address of orcid.org; "" if there is none with a valid check digit.
func ParseORCID(text string) string {
	found := orcidPattern.FindStringSubmatch(strings.ToUpper(strings.TrimSpace(text)))
	if found == nil {
		found = orcidPattern.FindStringSubmatch(strings.TrimSpace(text))
	}
	if found == nil {
		return ""
	}
	digits := strings.ReplaceAll(found[1], "-", "")
	total := 0
	for _, digit := range digits[:15] {
		total = (total + int(digit-'0')) * 2
	}
	if "0123456789X"[(12-total%11)%11] != digits[15] {
		return ""
	}
	return found[1]
}

// ParseDOI returns the identifier in a text or an address of doi.org, as in 10.5281/zenodo.1234; "" if there is none.
func ParseDOI(text string) string {
	found := doiPattern.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil || len(found[1]) > doiLimit || !ValidText(found[1], false) {
		return ""
	}
	return found[1]
}

// ParseLicense returns an SPDX expression, or "" for a text that isn't one.
func ParseLicense(text string) string {
	if text = strings.TrimSpace(text); len(text) > licenseLimit || !licensePattern.MatchString(text) {
		return ""
	}
	return text
}
