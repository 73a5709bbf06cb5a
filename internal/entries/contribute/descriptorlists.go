package contribute

import (
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/humanize"
)

// funding returns the awards below funding. An item is a group of the fields of catalog.Funding, or the name of a funder.
func (c *descriptorCheck) funding(field codehost.DescriptorField) []catalog.Funding {
	c.faults = append(c.faults, field.Faults...)
	var funding []catalog.Funding
	for _, item := range field.Texts {
		get := groupGetter(item)
		one := catalog.Funding{
			Funder: item.Value + get("funder"), FunderID: get("funderId"), AwardNumber: get("awardNumber"), AwardTitle: get("awardTitle"), AwardURL: get("awardUrl"),
		}
		c.checkItem(item, "funding", catalog.Entry{Funding: []catalog.Funding{one}})
		funding = append(funding, one)
	}
	if len(c.faults) == 0 {
		c.checkCount(field, "funding", catalog.Entry{Funding: funding})
	}
	return funding
}

// related returns what is below related. An item is a group of the fields of catalog.RelatedIdentifier, or a DOI or an
// address; without a relation, the entry supplements it.
func (c *descriptorCheck) related(field codehost.DescriptorField) []catalog.RelatedIdentifier {
	c.faults = append(c.faults, field.Faults...)
	var related []catalog.RelatedIdentifier
	for _, item := range field.Texts {
		get := groupGetter(item)
		one := catalog.RelatedIdentifier{Identifier: item.Value + get("identifier"), Type: get("type"), Relation: get("relation")}
		if one.Type == "" {
			one.Type = "URL"
			if catalog.ParseDOI(one.Identifier) != "" {
				one.Type = "DOI"
			}
		}
		if one.Relation == "" {
			one.Relation = catalog.Relations[0]
		}
		if one.Identifier == "" {
			c.item(item, "related", "The identifier is missing", `Write it as in: {identifier: "10.5281/zenodo.1234", relation: IsSupplementTo}`)
		}
		c.checkItem(item, "related", catalog.Entry{RelatedIdentifiers: []catalog.RelatedIdentifier{one}})
		related = append(related, one)
	}
	if len(c.faults) == 0 {
		c.checkCount(field, "related", catalog.Entry{RelatedIdentifiers: related})
	}
	return related
}

func groupGetter(item codehost.DescriptorText) func(string) string {
	return func(name string) string { return humanize.OneLine(item.Group[strings.ToLower(name)]) }
}

// checkItem records the faults of one item by the rules of entries.
func (c *descriptorCheck) checkItem(item codehost.DescriptorText, name string, one catalog.Entry) {
	one.Normalize()
	for _, found := range one.CheckCited() {
		_, field, _ := strings.Cut(found.Location, "].")
		problem := found.Message
		if field != "" {
			problem = field + ": " + problem
		}
		c.item(item, name, problem, "Correct it, or leave it out.")
	}
}

func (c *descriptorCheck) checkCount(field codehost.DescriptorField, name string, all catalog.Entry) {
	all.Normalize()
	for _, found := range all.CheckCited() {
		c.rule(field, name, "The list %s.", found.Message)
	}
}
