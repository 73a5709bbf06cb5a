package metadata

import (
	"strings"

	"cairn/internal/entries/catalog"
)

// readZenodo reads a .zenodo.json.
func readZenodo(content []byte) SourceMetadata {
	o := objectIn(content)
	meta := SourceMetadata{
		Name: o.text("title"), Description: plain(o.text("description")), Tags: o.texts("keywords"),
		Version: o.text("version"), DOI: o.text("doi"), Language: o.text("language"),
	}
	if licenses := o.objects("license", "id"); len(licenses) == 1 {
		meta.License = licenses[0].text("id")
	}
	for _, creator := range o.objects("creators", "name") {
		meta.People = append(meta.People, depositedPerson(creator, ""))
	}
	for _, contributor := range o.objects("contributors", "name") {
		role := catalog.Role(contributor.text("type"))
		if role == "" {
			role = "Other"
		}
		meta.People = append(meta.People, depositedPerson(contributor, role))
	}
	for _, grant := range o.objects("grants", "id") {
		funder, number, found := strings.Cut(grant.text("id"), "::")
		if !found { // of Zenodo's own sponsor
			funder, number = "10.13039/501100000780", funder
		}
		meta.Funding = append(meta.Funding, catalog.Funding{Funder: funders[funder], FunderID: funder, AwardNumber: number})
	}
	for _, related := range o.objects("related_identifiers", "identifier") {
		one := relatedTo(related.text("identifier"), upperFirst(related.text("relation")))
		for _, kind := range catalog.IdentifierTypes {
			if strings.EqualFold(related.text("scheme"), kind) {
				one.Type = kind
			}
		}
		meta.RelatedIdentifiers = append(meta.RelatedIdentifiers, one)
	}
	return meta
}

func depositedPerson(o object, role catalog.Role) catalog.Credit {
	person := catalog.Credit{Name: personName("", "", o.text("name")), ORCID: o.text("orcid"), Role: role}
	if at := o.text("affiliation"); at != "" {
		person.Affiliation = &catalog.Organization{Name: at}
	}
	return person
}

func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// funders are the names of funders whom .zenodo.json gives by their numbers alone.
var funders = map[string]string{
	"10.13039/501100000780": "European Commission", "10.13039/100000001": "National Science Foundation", "10.13039/100000002": "National Institutes of Health",
	"10.13039/501100001659": "Deutsche Forschungsgemeinschaft", "10.13039/501100001665": "Agence Nationale de la Recherche",
	"10.13039/501100001711": "Swiss National Science Foundation", "10.13039/501100002428": "Austrian Science Fund",
	"10.13039/501100003246": "Dutch Research Council", "10.13039/501100000038": "Natural Sciences and Engineering Research Council of Canada",
	"10.13039/501100001871": "Fundação para a Ciência e a Tecnologia", "10.13039/501100000923": "Australian Research Council",
}
