package fair

import (
	"cmp"
	"fmt"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/rocrate"
)

const crateProfile = "https://w3id.org/ro/crate"

// crate writes the record as the metadata of an RO-Crate 1.2: the entry, its page, the files that strangers may download,
// and the last run by the catalog.
func crate(r Record, site Site) (any, error) {
	graph := &rocrate.Graph{}
	root := rocrate.Node{
		"@id": "./", "@type": "Dataset", "name": r.Name, "description": orName(r), "url": r.Address, "datePublished": r.Published.Format(rocrate.TimeFormat),
		"dateModified": r.Modified.Format(rocrate.TimeFormat), "license": rocrate.Reference(graph.License(r.License.Expression)),
		"publisher": rocrate.Reference(crateOrganization(graph, r.Publisher, site.Public+"/#publisher")), "cite-as": r.Permanent,
		"identifier": rocrate.Reference(graph.Add(rocrate.Node{
			"@id": "#permanent", "@type": "PropertyValue", "name": "Permanent address", "propertyID": "URL", "value": r.Permanent, "url": r.Permanent,
		})),
	}
	if len(r.Keywords) > 0 {
		root["keywords"] = strings.Join(r.Keywords, ", ")
	}
	for key, text := range map[string]string{"version": r.Version, "inLanguage": r.Language} {
		if text != "" {
			root[key] = text
		}
	}
	for word, list := range map[string][]rocrate.Node{
		"author": cratePeople(graph, r.People, 0), "contributor": cratePeople(graph, r.Others, len(r.People)),
	} {
		if len(list) > 0 {
			root[word] = list
		}
	}
	if len(r.Funding) > 0 {
		root["funder"], root["funding"] = crateFunding(graph, r)
	}
	root["subjectOf"] = rocrate.Reference(graph.Add(rocrate.Node{
		"@id": r.Address, "@type": "WebPage", "name": "The page of " + r.Name, "url": r.Address, "encodingFormat": "text/html",
	}))
	if r.DOI != "" {
		graph.Add(rocrate.Node{
			"@id": doiAddress(r.DOI), "@type": "PropertyValue", "propertyID": "https://registry.identifiers.org/registry/doi", "value": "doi:" + r.DOI, "url": doiAddress(r.DOI),
		})
		root["identifier"] = []rocrate.Node{rocrate.Reference("#permanent"), rocrate.Reference(doiAddress(r.DOI))}
	}
	var parts []rocrate.Node
	for _, file := range r.Files {
		one := rocrate.Node{"@id": file.URL, "@type": "File", "name": file.Name, "encodingFormat": file.Type, "sdDatePublished": r.Modified.Format(rocrate.TimeFormat)}
		if file.Size >= 0 {
			one["contentSize"] = fmt.Sprint(file.Size)
		}
		if file.SHA256 != "" {
			one["sha256"] = file.SHA256
		}
		if r.Type == catalog.Notebook {
			one["@type"] = []string{"File", "SoftwareSourceCode"}
		}
		parts = append(parts, rocrate.Reference(graph.Add(one)))
	}
	if r.Source != "" {
		root["isBasedOn"] = rocrate.Reference(graph.Add(rocrate.Node{
			"@id": r.Source, "@type": "SoftwareSourceCode", "name": "The repository of " + r.Name, "codeRepository": r.Source, "url": r.Source,
		}))
	}
	if len(parts) > 0 {
		root["hasPart"] = parts
	}
	if run := r.Run; run != nil {
		root["mentions"] = rocrate.Reference(crateRun(graph, r, site))
	}
	return graph.Document(crateProfile+"/1.2/context", "1.2", root), nil
}

func crateOrganization(graph *rocrate.Graph, from Organization, fallback string) string {
	one := rocrate.Node{"@id": fallback, "@type": "Organization", "name": from.Name}
	if from.ROR != "" {
		one["@id"] = from.ROR
	}
	if from.URL != "" {
		one["url"] = from.URL
	}
	return graph.Add(one)
}

func cratePeople(graph *rocrate.Graph, people []Person, before int) (list []rocrate.Node) {
	for i, person := range people {
		more := rocrate.Node{}
		if at := person.Affiliation; at.Name != "" {
			more["affiliation"] = rocrate.Reference(crateOrganization(graph, at, "#organization-"+fmt.Sprint(before+i+1)))
		}
		list = append(list, rocrate.Reference(graph.Person(before+i+1, person.Name, person.ORCID, more)))
	}
	return list
}

// crateFunding adds those who paid for the entry, and their grants.
func crateFunding(graph *rocrate.Graph, r Record) (funders, grants []rocrate.Node) {
	known := map[string]bool{}
	for i, from := range r.Funding {
		number := fmt.Sprint(i + 1)
		funder := crateOrganization(graph, Organization{Name: from.Funder, ROR: from.FunderID}, "#funder-"+number)
		if !known[funder] {
			known[funder] = true
			funders = append(funders, rocrate.Reference(funder))
		}
		grant := rocrate.Node{"@id": cmp.Or(from.AwardURL, "#grant-"+number), "@type": "Grant", "name": cmp.Or(from.AwardTitle, from.AwardNumber, from.Funder), "funder": rocrate.Reference(funder)}
		if from.AwardNumber != "" {
			grant["identifier"] = from.AwardNumber
		}
		if from.AwardURL != "" {
			grant["url"] = from.AwardURL
		}
		grants = append(grants, rocrate.Reference(graph.Add(grant)))
	}
	return funders, grants
}

// crateRun adds the last run of the entry: what was executed, when, and what came out. The run has a crate of its own.
func crateRun(graph *rocrate.Graph, r Record, site Site) string {
	run := r.Run
	one := rocrate.Node{
		"@id": "urn:uuid:" + run.ID, "@type": "CreateAction", "name": "Execution of " + run.File, "endTime": run.At.UTC().Format(rocrate.TimeFormat),
		"description":  fmt.Sprintf("%d of %d code cells ran, and %d of %d compared outputs differ.", run.Cells.Ran, run.Cells.Total, run.Cells.Differs, run.Cells.Compared),
		"actionStatus": rocrate.Reference("http://schema.org/CompletedActionStatus"), "agent": rocrate.Reference(crateOrganization(graph, r.Publisher, site.Public+"/#publisher")),
		"instrument": rocrate.Reference(graph.Add(rocrate.Node{"@id": "#jupyter", "@type": "SoftwareApplication", "name": "Jupyter", "url": "https://jupyter.org/"})),
		"result": rocrate.Reference(graph.Add(rocrate.Node{
			"@id": site.Public + site.Base + "/resources/public/" + r.ID + "/runs/" + run.ID + "/crate.zip", "@type": "File",
			"name": "The run as a Process Run Crate", "encodingFormat": "application/zip",
		})),
	}
	if run.Verdict == catalog.RunFailed || run.Verdict == catalog.RunNeeds {
		one["actionStatus"], one["error"] = rocrate.Reference("http://schema.org/FailedActionStatus"), run.Reason
	}
	return graph.Add(one)
}
