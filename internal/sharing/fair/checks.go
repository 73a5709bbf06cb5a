package fair

import (
	"cmp"
	"slices"
	"strings"

	"cairn/internal/entries/catalog"
)

// check is a test of F-UJI's metrics 0.8, with its points, or advice for none.
type check struct {
	id      string
	name    string // what is there if it passes
	missing string // what isn't if it fails
	points  float64
	passes  func(probe) bool
	fix     func(Record) Fix
}

// fixOf says what is missing of an entry that fails, why, and what helps.
func (c check) fixOf(record Record) Fix {
	fix := c.fix(record)
	fix.Missing = cmp.Or(fix.Missing, c.missing)
	return fix
}

// descriptorLines set fields in a repository's descriptor, below project.
var descriptorLines = map[string]string{
	"description": `description: "What it does, for whom."`,
	"doi":         "doi: 10.5281/zenodo.1234",
	"license":     "license: CC-BY-4.0",
	"orcid":       "authors: [{name: Your Name, email: you@example.org, orcid: 0000-0002-1825-0097}]",
	"people":      "authors: [{name: Your Name, email: you@example.org, orcid: 0000-0002-1825-0097}]",
	"tags":        "tags: [neuroscience, spikes]",
	"version":     `version: "1.0"`,
}

// editField is a fix in a field of the entry's form. The entry of a repository elsewhere says what its descriptor says.
func editField(why, action, field string) func(Record) Fix {
	return func(r Record) Fix {
		if r.Type == catalog.Repository && !r.isKept() {
			return Fix{Why: why + " Change it in the repository and sync the entry.", Action: action, Field: field, Line: descriptorLines[field]}
		}
		return Fix{Why: why, Action: action, Field: field}
	}
}

// reportToOperators is a fix that no author can make: every entry passes unless something is broken.
func reportToOperators(Record) Fix {
	return Fix{Why: "This page didn't answer as it should. Tell the operators."}
}

// checks are all checks, in F-UJI's order.
var checks = []check{
	{"FsF-F1-01MD", "It has an address of its own", "No address of its own", 1, func(p probe) bool { return p.link("cite-as") != "" }, reportToOperators},
	{"FsF-F1-02MD-1", "It has a registered identifier", "No registered identifier (DOI)", 0.5, func(p probe) bool { return registered(p) }, noIdentifier},
	{"FsF-F1-02MD-2", "The registered identifier leads somewhere", "No registered identifier to follow", 0.5, func(p probe) bool { return registered(p) }, noIdentifier},
	{
		"FsF-F2-01M-1", "It says who made it, its title, date, publisher and type", "No authors", 1,
		func(p probe) bool {
			return p.has("creator", "name", "identifier", "datePublished", "publisher", "@type")
		}, editField("It names nobody.", "Add people", "people"),
	},
	{
		"FsF-F2-01M-2", "It has a description and keywords", "No description or keywords", 1, func(p probe) bool { return p.has("description", "keywords") },
		func(r Record) Fix {
			fix := editField("Others look for entries by their tags.", "Add tags", "tags")(r)
			fix.Missing = "No tags"
			if r.Description == "" {
				fix = editField("Nobody learns what it is about.", "Write a description", "description")(r)
				fix.Missing = "No description"
			}
			return fix
		},
	},
	{"FsF-F3-01M", "It says where its content is", "No address of its content", 1, func(p probe) bool { return p.content() != "" || p.has("codeRepository") }, noFiles},
	{"FsF-F4-01M", "Search engines can read it", "Not readable for search engines", 2, func(p probe) bool { return p.schema != nil && p.words > 150 }, reportToOperators},
	{"FsF-A1-01M", "It says who may see it", "Nothing about who may see it", 1, func(p probe) bool { return p.has("conditionsOfAccess") || p.has("isAccessibleForFree") }, reportToOperators},
	{"FsF-A1-02MD-1", "Strangers can read the description", "No description for strangers", 1, func(p probe) bool { return p.page && p.export }, reportToOperators},
	{"FsF-A1-02MD-2", "Strangers can download its content", "No download for strangers", 1, func(p probe) bool { return p.downloaded }, noFiles},
	{"FsF-A1.1-01MD", "The description comes by HTTP", "No description by HTTP", 2, func(p probe) bool { return p.page && isWebAddress(p.link("cite-as")) }, reportToOperators},
	{"FsF-A1.2-01MD", "Its content comes by HTTP", "No content by HTTP", 2, func(p probe) bool { return isWebAddress(p.content()) }, noFiles},
	{"FsF-I1-01M", "Programs can read the description", "No description for programs", 2, func(p probe) bool { return p.schema != nil || p.negotiated }, reportToOperators},
	{"FsF-I2-01M", "It uses terms that others defined", "No terms that others defined", 2, func(p probe) bool { return p.has("prov:generatedAtTime") }, reportToOperators},
	{"FsF-I3-01M", "It names what it has to do with", "Nothing about what it has to do with", 2, func(p probe) bool { return p.has("includedInDataCatalog") || p.has("isPartOf") || p.has("citation") }, reportToOperators},
	{"FsF-R1-01M-1", "It says what it is", "No type", 1, func(p probe) bool { return p.has("@type") && p.link("type") != "" }, reportToOperators},
	{"FsF-R1-01M-2", "It says the format and size of a file", "No format and size of a file", 1, func(p probe) bool { return p.file("encodingFormat") != "" && p.file("contentSize") != "" }, noFiles},
	{"FsF-R1.1-01M", "It has a license", "No license", 1, func(p probe) bool { return p.has("license") }, editField("Nobody knows what they may do with it.", "Choose a license", "license")},
	{"FsF-R1.2-01M", "It says where it comes from", "No origin", 1, func(p probe) bool { return p.has("creator", "dateCreated") }, editField("It names nobody.", "Add people", "people")},
	{"FsF-R1.3-01M", "It is described by a common standard", "No description by a common standard", 1, func(p probe) bool { return p.schema != nil || p.negotiated }, reportToOperators},
	{
		"FsF-R1.3-02D", "A file has an open format", "No file in an open format", 1,
		func(p probe) bool {
			return slices.ContainsFunc(p.files(), func(file node) bool {
				kind, _ := file["encodingFormat"].(string)
				return strings.HasPrefix(kind, "text/") || slices.Contains(openFormats, kind)
			})
		},
		func(r Record) Fix {
			if len(r.Files) == 0 {
				return noFiles(r)
			}
			return Fix{Why: "None of its files has a format that is known to be open, such as CSV."}
		},
	},
	{"orcid", "Everyone has an ORCID iD", "Not everyone has an ORCID iD", 0, func(p probe) bool { return p.everybodyKnown() }, editField("Without an ORCID iD, no one knows which person of that name it is.", "Add an ORCID iD", "orcid")},
	{"version", "It has a version", "No version", 0, func(p probe) bool { return p.has("version") }, editField("Others can't say which version they used.", "Set a version", "version")},
}

func isWebAddress(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// registered reports whether the entry has an identifier of a registry. F-UJI knows many; ours are DOIs.
func registered(p probe) bool {
	same, _ := p.schema["sameAs"].(string)
	return strings.HasPrefix(same, doiResolver)
}

func noIdentifier(r Record) Fix {
	return editField("This server's permanent address isn't in a registry. If an archive such as Zenodo assigned a DOI, add it.", "Add a DOI", "doi")(r)
}
