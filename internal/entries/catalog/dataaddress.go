package catalog

import (
	"net/url"
	"strings"
)

// doiPrefix begins the address of data that an archive has under a DOI.
const doiPrefix = "doi:"

// DOIAddress is the datasetUrl of what an archive has under a DOI. DOIs are the same in any case, so theirs is lower.
func DOIAddress(doi string) string { return doiPrefix + strings.ToLower(doi) }

// ParseDOIAddress returns the DOI in an address as entries have it; false for any other address.
func ParseDOIAddress(address string) (doi string, ok bool) {
	doi, ok = strings.CutPrefix(address, doiPrefix)
	return doi, ok && doi != "" && ParseDOI(doi) == doi && doi == strings.ToLower(doi)
}

// DataAddress returns the web address at which people find the data of a datasetUrl; "" for what is on this server.
func DataAddress(address string) string {
	if doi, ok := ParseDOIAddress(address); ok {
		return (&url.URL{Scheme: "https", Host: "doi.org", Path: "/" + doi}).String()
	}
	if ValidHTTPS(address) {
		return address
	}
	return ""
}

// normalDataAddress writes an address that begins as one with a DOI does as entries have it.
func normalDataAddress(address string) string {
	if len(address) > len(doiPrefix) && strings.EqualFold(address[:len(doiPrefix)], doiPrefix) {
		if doi := ParseDOI(address); doi != "" {
			return DOIAddress(doi)
		}
	}
	return address
}

// alikeDataAddresses are the addresses under which entries have the data of an address: before DOIs were looked up, people gave the page to
// which one leads.
func alikeDataAddresses(address string) []string {
	doi, ok := ParseDOIAddress(address)
	if !ok {
		return []string{address}
	}
	return []string{address, "https://doi.org/" + doi, "https://www.doi.org/" + doi, "https://dx.doi.org/" + doi}
}
