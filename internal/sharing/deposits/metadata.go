package deposits

import (
	"bytes"
	"context"
	"errors"
	"html"
	"regexp"
	"slices"
	"strconv"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/personname"
	"cairn/internal/sharing/fair"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// metadata describe a version for an archive. Whatever authors and others wrote is without e-mail addresses.
func (j *job) metadata(ctx context.Context, record fair.Record, entry catalog.Entry) (archives.Metadata, error) {
	made := archives.Metadata{
		Title: record.Name, Type: "software", Creators: creators(record), License: onlyLicense.FindString(record.License.Expression),
		Published: j.options.Now().UTC().Format(time.DateOnly), Version: strconv.Itoa(j.Version), Keywords: record.Keywords, Mark: j.mark(),
	}
	if entry.Type == catalog.Dataset {
		made.Type = "dataset"
	}
	if made.License != record.License.Expression {
		made.Notes = "<p>License: " + html.EscapeString(record.License.Expression) + "</p>"
	}
	var err error
	if made.Description, err = descriptionOf(entry, record.Name); err != nil {
		return made, err
	}
	made.Related, err = j.related(ctx, record, entry)
	return made, err
}

// onlyLicense is the first license in an expression of SPDX: archives take one. The whole expression is in the notes then.
var onlyLicense = regexp.MustCompile(`[A-Za-z0-9.+-]+`)

// creators are the people of a record as archives want them.
func creators(record fair.Record) (list []archives.Person) {
	for _, one := range record.People {
		name := one.Name
		if given, family := personname.Split(name); family != "" {
			name = family + ", " + given
		}
		list = append(list, archives.Person{Name: name, ORCID: one.ORCID, Affiliation: one.Affiliation.Name})
	}
	if len(list) == 0 {
		list = append(list, archives.Person{Name: record.Publisher.Name})
	}
	return list
}

// descriptionOf returns a description in HTML that can be shown everywhere. Archives want one.
func descriptionOf(entry catalog.Entry, name string) (string, error) {
	var made bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(catalog.WithoutMail(entry.Description)), &made); err != nil {
		return "", err
	}
	if text := bytes.TrimSpace(bluemonday.UGCPolicy().SanitizeBytes(made.Bytes())); len(text) > 0 {
		return string(text), nil
	}
	return "<p>" + html.EscapeString(name) + "</p>", nil
}

// related is what a version has to do with others: it is what its permanent address shows, a version of the entry, and made from the
// repository or the address of the entry, if that has one.
func (j *job) related(ctx context.Context, record fair.Record, entry catalog.Entry) (list []archives.Related, err error) {
	add := func(identifier, relation string) {
		one := archives.Related{Identifier: identifier, Relation: relation}
		if identifier != "" && !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	permanent := j.options.Public + catalog.PermanentPath(j.resourceID)
	add(permanent+"/v"+strconv.Itoa(j.Version), "IsIdenticalTo")
	add(permanent, "IsVersionOf")
	all, err := j.store.list(ctx, j.resourceID)
	if err != nil {
		return nil, err
	}
	if !isOurs(entry.DOI, all) {
		add(entry.DOI, "IsVersionOf")
	}
	for _, one := range all {
		if one.State == Published && one.Version == j.Version {
			add(one.DOI, "IsIdenticalTo") // at another archive
		}
	}
	previous, err := j.store.previous(ctx, j.resourceID, j.At)
	if err == nil && previous.accountID != j.accountID { // else the archive says so itself
		add(previous.DOI, "IsNewVersionOf")
	}
	if err != nil && !errors.Is(err, errNoDeposit) {
		return nil, err
	}
	_, kept := entry.Kept()
	switch {
	case kept:
	case entry.Type == catalog.Repository:
		add(record.Source, "IsSupplementTo") // as archives say it of what they copy from code hosts
	case record.Source != "":
		add(record.Source, "IsDerivedFrom")
	case catalog.DataAddress(entry.DatasetURL) != "" && !catalog.HasMail(entry.DatasetURL):
		add(catalog.DataAddress(entry.DatasetURL), "IsDerivedFrom")
	}
	for _, one := range record.Relations {
		if one.Type == "DOI" {
			add(one.Identifier, one.Relation)
		} else {
			add(one.Address(), one.Relation)
		}
	}
	return list, nil
}
