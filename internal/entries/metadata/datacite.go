package metadata

import (
	"strings"

	"cairn/internal/entries/catalog"
)

// readDataCite reads DataCite's answer about a DOI, in JSON:API.
func readDataCite(content []byte) SourceMetadata {
	data, _ := objectIn(content)["data"].(map[string]any)
	attributes, _ := data["attributes"].(map[string]any)
	o := object(attributes)
	meta := SourceMetadata{Version: o.text("version"), DOI: o.text("doi"), Language: o.text("language"), Tags: o.texts("subjects", "subject")}
	for _, title := range o.objects("titles", "title") {
		if meta.Name == "" && title.text("titleType") == "" {
			meta.Name = title.text("title")
		}
	}
	for _, description := range o.objects("descriptions", "description") {
		if meta.Description == "" && description.text("descriptionType") == "Abstract" {
			meta.Description = plain(description.text("description"))
		}
	}
	for _, rights := range o.objects("rightsList", "rights") {
		for _, name := range []string{"rightsIdentifier", "rightsUri", "rights"} {
			if meta.License == "" {
				meta.License = licenseIn(rights.text(name))
			}
		}
	}
	for _, creator := range o.objects("creators", "name") {
		meta.People = append(meta.People, registeredPerson(creator, ""))
	}
	for _, contributor := range o.objects("contributors", "name") {
		role := catalog.Role(contributor.text("contributorType"))
		if role == "" {
			role = "Other"
		}
		meta.People = append(meta.People, registeredPerson(contributor, role))
	}
	for _, award := range o.objects("fundingReferences", "funderName") {
		meta.Funding = append(meta.Funding, catalog.Funding{
			Funder: award.text("funderName"), FunderID: award.text("funderIdentifier"),
			AwardNumber: award.text("awardNumber"), AwardTitle: award.text("awardTitle"), AwardURL: award.text("awardUri"),
		})
	}
	for _, related := range o.objects("relatedIdentifiers", "relatedIdentifier") {
		meta.RelatedIdentifiers = append(meta.RelatedIdentifiers, catalog.RelatedIdentifier{
			Identifier: related.text("relatedIdentifier"), Type: related.text("relatedIdentifierType"), Relation: related.text("relationType"),
		})
	}
	return meta
}

func registeredPerson(o object, role catalog.Role) catalog.Credit {
	person := catalog.Credit{Name: o.text("name"), Role: role}
	if o.text("nameType") != "Organizational" {
		person.Name = personName(o.text("givenName"), o.text("familyName"), person.Name)
	}
	for _, id := range o.objects("nameIdentifiers", "nameIdentifier") {
		if strings.EqualFold(id.text("nameIdentifierScheme"), "ORCID") && person.ORCID == "" {
			person.ORCID = catalog.ParseORCID(id.text("nameIdentifier"))
		}
	}
	if at := o.objects("affiliation", "name"); len(at) > 0 {
		person.Affiliation = &catalog.Organization{Name: at[0].text("name"), ROR: at[0].text("affiliationIdentifier")}
	}
	return person
}
