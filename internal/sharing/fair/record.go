package fair

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/personname"
)

// Record is a public entry without the words of any form. It has no e-mail address.
type Record struct {
	ID        string
	Type      catalog.Type
	Address   string // of its page
	Permanent string // the address that stays, and leads to the page
	Exports   string // the folder of its forms
	Number    int    // of the version that it is about; 0: whatever the entry is
	Latest    int    // the number of the latest version; 0: it has no other

	Name        string
	Description string // plain text
	Keywords    []string
	People      []Person // the authors, in their order
	Others      []Person // the other people whom it credits
	Publisher   Organization
	License     License
	Version     string
	DOI         string
	Language    string // as in BCP 47
	Image       string // an address

	Published, Modified time.Time

	Source    string // the repository that it is, or that has the notebook: where it is cloned; "" if there is none
	Format    string // media type of what it is, where one says it: notebooks
	Files     []File // those that strangers may download
	MoreFiles bool
	Relations []catalog.RelatedIdentifier
	Funding   []catalog.Funding
	Run       *catalog.LastRun
}

// Person is somebody whom an entry credits. All but the name may be empty.
type Person struct {
	Name        string
	ORCID       string // as in 0000-0002-1825-0097
	Role        string // one of DataCite's types of contributors; authors have none
	Affiliation Organization
}

// Organization is an institution; its address and its ROR may be empty, and the zero Organization is none.
type Organization struct{ Name, URL, ROR string }

// License is the license of an entry; the zero License if none is known.
type License struct {
	Expression string // of SPDX
	URL        string // of its text; "" for expressions of several licenses
}

// File is a file that strangers may download.
type File struct {
	Path     string // in the dataset
	Name     string
	URL      string
	Type     string // media type
	Size     int64  // bytes; -1 if unknown
	SHA256   string // in hexadecimal digits; "" while unknown
	Modified time.Time
	IsTable  bool
	Columns  []Column
}

// Column is a column of a table.
type Column struct {
	Name                   string
	IsNumber               bool
	Minimum, Maximum, Mean float64
	Count                  int // numbers that these come from
}

const (
	doiResolver   = "https://doi.org/"
	orcidResolver = "https://orcid.org/"
	rorResolver   = "https://ror.org/"
	spdxLicenses  = "https://spdx.org/licenses/"
)

func doiAddress(doi string) string { return doiResolver + encodeInLink(doi) }

// Site is what all records share.
type Site struct {
	Product   string
	Tagline   string
	Publisher Organization
	Public    string // the address of the catalog
	Base      string // where its calls are, as a path
}

// descriptionLength is how much of a description is written, in characters: what search engines for data accept.
const descriptionLength = 5000

// recordOf returns the record of a public entry, without its files.
func recordOf(r catalog.Entry, site Site, now time.Time) Record {
	record := Record{
		ID: r.ID, Type: r.Type, Address: site.Public + "/resources/" + r.Type.Plural() + "/" + r.ID, Permanent: site.Public + catalog.PermanentPath(r.ID),
		Exports: site.Public + site.Base + "/resources/public/" + r.ID + "/export/",
		Name:    catalog.WithoutMail(r.Name), Description: catalog.WithoutMail(r.Summary(descriptionLength)), Publisher: site.Publisher, Version: catalog.WithoutMail(r.Version), Language: r.Language,
		Published: earlier(r.CreatedAt, now).UTC(), Modified: earlier(r.UpdatedAt, now).UTC(), License: licenseOf(catalog.WithoutMail(r.License)),
	}
	if !catalog.HasMail(r.DOI) {
		record.DOI = r.DOI
	}
	if r.IssuedAt != nil {
		record.Published = earlier(*r.IssuedAt, now).UTC()
	}
	for _, from := range r.Funding {
		record.Funding = append(record.Funding, catalog.Funding{
			Funder: catalog.WithoutMail(from.Funder), FunderID: from.FunderID, AwardNumber: catalog.WithoutMail(from.AwardNumber), AwardTitle: catalog.WithoutMail(from.AwardTitle),
			AwardURL: linkWithoutMail(from.AwardURL),
		})
	}
	for _, one := range r.RelatedIdentifiers {
		if one.Type == "URL" {
			one.Identifier = linkWithoutMail(one.Identifier)
		}
		if !catalog.HasMail(one.Identifier) {
			record.Relations = append(record.Relations, one)
		}
	}
	if r.LastRun != nil {
		run := *r.LastRun
		run.File, run.Reason = catalog.WithoutMail(run.File), catalog.WithoutMail(run.Reason)
		record.Run = &run
	}
	for _, tag := range r.Tags {
		record.Keywords = append(record.Keywords, catalog.WithoutMail(tag.Value))
	}
	for _, one := range r.People {
		if one.Name == "" || strings.Contains(one.Name, "@") {
			continue
		}
		person := Person{Name: one.Name, ORCID: one.ORCID, Role: string(one.Role)}
		if at := one.Affiliation; at != nil {
			person.Affiliation = Organization{Name: catalog.WithoutMail(at.Name), ROR: at.ROR}
		}
		if person.Role == "" {
			record.People = append(record.People, person)
		} else {
			record.Others = append(record.Others, person)
		}
	}
	if len(record.People) == 0 {
		for _, author := range r.Authors {
			record.People = append(record.People, Person{Name: personname.GroupInAddress(author)})
		}
	}
	switch r.Type {
	case catalog.Repository:
		record.Source = linkWithoutMail(r.RepositoryURL)
	case catalog.Notebook:
		record.Format = notebookType
		if repository, _, ok := codehost.ParseFile(r.NotebookPath); ok {
			record.Source = linkWithoutMail(catalog.FileAtHost(repository.Address(), ""))
		}
	}
	return record
}

// form returns the address of a form of the record.
func (r *Record) form(name string) string {
	return r.Exports + name + r.parameter("?")
}

// parameter names the version of the record in an address, after a sign; "" if there is none to name.
func (r *Record) parameter(sign string) string {
	if r.Number == 0 {
		return ""
	}
	return sign + "version=" + strconv.Itoa(r.Number)
}

// inVersion makes a record that of a version. It names versions before it: those after it don't change what it says.
func (r *Record) inVersion(number int) {
	concept := r.Permanent
	r.Number, r.Permanent, r.Address = number, versionAddress(concept, number), r.Address+"?version="+strconv.Itoa(number)
	r.Relations = append(slices.Clone(r.Relations), catalog.RelatedIdentifier{Relation: "IsVersionOf", Type: "URL", Identifier: concept})
	if number > 1 {
		r.Relations = append(r.Relations, catalog.RelatedIdentifier{Relation: "IsNewVersionOf", Type: "URL", Identifier: versionAddress(concept, number-1)})
	}
	if r.Version == "" {
		r.Version = strconv.Itoa(number)
	}
}

// versionAddress is the permanent address of a version, given that of its entry.
func versionAddress(permanent string, number int) string {
	return permanent + "/v" + strconv.Itoa(number)
}

// linkWithoutMail writes a link that has an e-mail address in it so that it leads to the same place without showing one.
func linkWithoutMail(address string) string {
	if catalog.HasMail(address) {
		return strings.ReplaceAll(address, "@", "%40")
	}
	return address
}

// earlier keeps dates out of the future, where imports may put them.
func earlier(at, now time.Time) time.Time {
	if at.After(now) {
		return now
	}
	return at
}

func licenseOf(text string) License {
	one := License{Expression: text}
	if text != "" && !strings.ContainsAny(text, " ()+:") {
		one.URL = spdxLicenses + text
	}
	return one
}

// identifier returns the address by which others should know the entry.
func (r *Record) identifier() string {
	if r.DOI != "" {
		return doiAddress(r.DOI)
	}
	return r.Permanent
}

func (r *Record) year() int { return r.Published.Year() }

// schemaType is the entry's type in the vocabulary of schema.org. A model is a versioned program that a platform runs for
// people, not a set of weights.
func (r *Record) schemaType() string {
	switch r.Type {
	case catalog.Dataset:
		return "Dataset"
	case catalog.Model:
		return "SoftwareApplication"
	default:
		return "SoftwareSourceCode"
	}
}

// isKept reports whether the record is of a repository that this server keeps, which is edited here.
func (r *Record) isKept() bool {
	_, kept := catalog.ParseKept(r.Source)
	return kept
}

// isSoftware reports whether the entry is a program: everything but data.
func (r *Record) isSoftware() bool { return r.Type != catalog.Dataset }

func formatDate(at time.Time) string { return at.Format(time.DateOnly) }

// bare returns the record without files beyond a number.
func (r Record) bare(files int) Record {
	if len(r.Files) > files {
		r.Files, r.MoreFiles = slices.Clone(r.Files[:files]), true
	}
	return r
}
