package metadata

import (
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
)

// readCodeMeta reads a codemeta.json of CodeMeta 2.0 or 3: version 3 writes id and type where 2.0 writes @id and @type.
func readCodeMeta(content []byte) SourceMetadata {
	o := objectIn(content)
	meta := SourceMetadata{
		Name: o.text("name"), Description: plain(o.text("description")), Tags: o.texts("keywords", "name"),
		Version: o.text("version", "softwareVersion"), DOI: doiIn(o.objects("identifier", "value")), Language: o.text("inLanguage"),
	}
	if licenses := o.objects("license", "@id"); len(licenses) == 1 { // of several, nobody says whether all of them hold
		for _, name := range []string{"@id", "id", "url", "identifier", "name"} {
			if meta.License == "" {
				meta.License = licenseIn(licenses[0].text(name))
			}
		}
	}
	if meta.DOI == "" {
		meta.DOI = catalog.ParseDOI(o.text("@id", "id"))
	}
	for _, credited := range []struct {
		member string
		role   catalog.Role
	}{{"author", ""}, {"contributor", "Other"}} {
		for _, person := range o.objects(credited.member, "name") {
			if !person.is("Role") && !person.is("schema:Role") { // what an author did, and when
				meta.People = append(meta.People, linkedPerson(person, credited.role))
			}
		}
	}
	meta.Funding = linkedFunding(o)
	for _, publication := range o.objects("referencePublication", "@id") {
		for _, name := range []string{"identifier", "@id", "id", "url", "sameAs"} {
			if address := publication.text(name); address != "" {
				meta.RelatedIdentifiers = append(meta.RelatedIdentifiers, relatedTo(address, "IsDescribedBy"))
				break
			}
		}
	}
	return meta
}

// linkedPerson reads a person or an organization of schema.org.
func linkedPerson(o object, role catalog.Role) catalog.Credit {
	person := catalog.Credit{Name: personName(o.text("givenName"), o.text("familyName"), ""), Email: o.text("email"), Role: role}
	if person.Name == "" {
		person.Name = o.text("name")
	}
	for _, id := range append(o.texts("identifier", "value", "@id", "url"), o.text("@id", "id")) {
		if person.ORCID == "" {
			person.ORCID = catalog.ParseORCID(id)
		}
	}
	if at := o.objects("affiliation", "name"); len(at) > 0 {
		person.Affiliation = &catalog.Organization{Name: at[0].text("name", "legalName"), ROR: at[0].text("@id", "id", "identifier")}
	}
	return person
}

// linkedFunding reads grants of schema.org, or CodeMeta's own way: the name of a funder, and the number of an award as a text.
func linkedFunding(o object) []catalog.Funding {
	var found []catalog.Funding
	for _, grant := range o.objects("funding", "text") {
		if award := grant.text("identifier"); award != "" || grant.text("name") != "" {
			one := catalog.Funding{AwardNumber: award, AwardTitle: grant.text("name"), AwardURL: grant.text("url")}
			for _, funder := range append(grant.objects("funder", "name"), grant.objects("sponsor", "name")...) {
				one.Funder, one.FunderID = funder.text("name"), funder.text("@id", "id", "identifier")
			}
			found = append(found, one)
		}
	}
	if len(found) > 0 {
		return found
	}
	funders := o.objects("funder", "name")
	for _, funder := range funders {
		one := catalog.Funding{Funder: funder.text("name"), FunderID: funder.text("@id", "id", "identifier")}
		if text, single := o["funding"].(string); single && len(funders) == 1 {
			one.AwardNumber = text
		}
		found = append(found, one)
	}
	return found
}

// doiIn returns the first DOI among identifiers.
func doiIn(identifiers []object) string {
	for _, one := range identifiers {
		for _, name := range []string{"value", "@id", "id", "url"} {
			if doi := catalog.ParseDOI(one.text(name)); doi != "" {
				return doi
			}
		}
	}
	return ""
}

// relatedTo names something by its DOI or its address.
func relatedTo(address, relation string) catalog.RelatedIdentifier {
	one := catalog.RelatedIdentifier{Identifier: address, Type: "URL", Relation: relation}
	if catalog.ParseDOI(address) != "" {
		one.Type = "DOI"
	}
	return one
}

// readCitation reads a CITATION.cff.
func readCitation(content []byte) SourceMetadata {
	citation := codehost.ParseCitation(content)
	meta := SourceMetadata{
		Name: citation.Title, Description: citation.Abstract, Tags: citation.Keywords, License: citation.License, Version: citation.Version, DOI: citation.DOI,
	}
	for _, group := range citation.People[:min(len(citation.People), listLimit)] {
		person := catalog.Credit{Name: group["name"], Email: group["email"], ORCID: group["orcid"]}
		if at := group["affiliation"]; at != "" {
			person.Affiliation = &catalog.Organization{Name: at}
		}
		meta.People = append(meta.People, person)
	}
	return meta
}
