package runs

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"cairn/internal/foundation/rocrate"
	"cairn/internal/runs/executor"
)

// named returns what was run, as people call it.
func (c *Crate) named() string {
	if c.run.File == "" || c.run.File == c.entry.Name {
		return c.entry.Name
	}
	return c.run.File + " of " + c.entry.Name
}

// verdict says what came out, in sentences, and no more than was done.
func (c *Crate) verdict() string {
	cells := c.run.Cells
	words := map[Verdict]string{
		Clean: "Every cell ran, and every stored output came out again.", NothingToCompare: "There was nothing to compare.",
		Needs: "It needs something that runs of the catalog don't have.", Differs: "Outputs differ from the stored ones.",
		Fails: "It failed.",
	}
	said := cmp.Or(words[c.run.Verdict], "It was stopped without a verdict.")
	switch {
	case c.run.Verdict == Clean && cells.Skipped > 0:
		said = "Every cell that isn't skipped ran, and their stored outputs came out again."
	case c.run.Verdict == Clean && cells.Varies > 0:
		said = "Every cell ran, and every stored output came out again, except where two runs in a row differ from each other."
	}
	return said + " " + cmp.Or(c.run.Reason, fmt.Sprintf("%d of %d code cells ran.", cells.Ran, cells.Total))
}

// completed reports whether the execution came to its end, whatever its outputs are.
func (c *Crate) completed() bool {
	return c.run.Verdict == Clean || c.run.Verdict == Differs || c.run.Verdict == NothingToCompare
}

// action adds the execution.
func (c *Crate) action() string {
	one := rocrate.Node{
		"@id": "urn:uuid:" + c.run.ID, "@type": "CreateAction", "name": "Execution of " + c.named(), "description": c.verdict(),
		"startTime": c.run.StartedAt.UTC().Format(rocrate.TimeFormat), "endTime": c.run.ended().UTC().Format(rocrate.TimeFormat),
		"actionStatus": "http://schema.org/CompletedActionStatus", "instrument": rocrate.Reference(c.instrument()), "agent": rocrate.Reference(c.agent()),
		"environment": c.environment(),
	}
	if !c.completed() {
		one["actionStatus"], one["error"] = "http://schema.org/FailedActionStatus", cmp.Or(c.run.Reason, c.verdict())
	}
	if objects := c.objects(); len(objects) > 0 {
		one["object"] = objects
	}
	results := []rocrate.Node{}
	for _, file := range []rocrate.Node{
		{"@id": executedName, "name": "The executed notebook", "encodingFormat": notebookType},
		{"@id": comparisonName, "name": "How long each cell took, and how its outputs differ from those that the author stored", "encodingFormat": "application/json"},
		{"@id": logName, "name": "The log of the execution", "encodingFormat": "text/plain"},
	} {
		if c.addFile(file) {
			results = append(results, rocrate.Reference(fmt.Sprint(file["@id"])))
		}
	}
	if one["result"] = results; len(results) == 0 {
		delete(one, "result")
		one["@type"] = "ActivateAction" // which is what the profile calls those without results
	}
	return c.graph.Add(one)
}

// addFile adds a file; false if the run left no such file.
func (c *Crate) addFile(one rocrate.Node) bool {
	file, kept := c.files[fmt.Sprint(one["@id"])]
	if !kept {
		return false
	}
	one["@type"], one["contentSize"], one["sha256"] = "File", fmt.Sprint(file.bytes), file.sha256
	c.graph.Add(one)
	return true
}

// objects adds what was executed: the notebook as it was before, and the commit of its repository.
func (c *Crate) objects() (objects []rocrate.Node) {
	notebook := rocrate.Node{"@id": authorName, "name": "The notebook before the run, with the outputs that its author stored", "encodingFormat": notebookType}
	if c.run.File != "" {
		notebook["alternateName"] = path.Base(c.run.File)
	}
	switch {
	case c.addFile(notebook):
		objects = append(objects, rocrate.Reference(authorName))
	case c.run.Digest != "": // the file isn't kept any longer
		objects = append(objects, rocrate.Reference(c.graph.Add(rocrate.Node{"@id": "#notebook", "@type": "CreativeWork", "name": c.run.File, "sha256": c.run.Digest})))
	}
	if address := c.entry.RepositoryURL; address != "" {
		repository := rocrate.Node{"@id": address, "@type": "SoftwareSourceCode", "name": "The repository of " + c.entry.Name, "codeRepository": address, "url": address}
		if c.run.Commit != "" {
			repository["version"] = c.run.Commit
		}
		objects = append(objects, rocrate.Reference(c.graph.Add(repository)))
	}
	return objects
}

// instrument adds the kernel that executed the notebook, and the packages that it could use.
func (c *Crate) instrument() string {
	executed := c.kernel
	one := rocrate.Node{"@id": "#kernel", "@type": "SoftwareApplication", "name": cmp.Or(executed.Metadata.Kernel.Name, "Jupyter"), "url": "https://jupyter.org/"}
	if version := cmp.Or(executed.Metadata.Language.Version, c.run.Environment.Python, c.run.Environment.Version); version != "" {
		one["softwareVersion"] = version
	}
	if digest := c.run.Environment.Digest; digest != "" {
		one["identifier"] = "sha256:" + digest
	}
	packages := []rocrate.Node{}
	for _, text := range c.run.Environment.Packages {
		name, version, _ := strings.Cut(text, "==")
		address := "https://pypi.org/project/" + url.PathEscape(name) + "/" + url.PathEscape(version) + "/"
		if c.run.Environment.Language != "" {
			address = "https://cran.r-project.org/package=" + url.PathEscape(name)
		}
		packages = append(packages, rocrate.Reference(c.graph.Add(rocrate.Node{"@id": address, "@type": "SoftwareApplication", "name": name, "softwareVersion": version, "url": address})))
	}
	if len(packages) > 0 {
		one["softwareRequirements"] = packages
	}
	return c.graph.Add(one)
}

// environment adds the variables that were set, except the date, which depends on the commit.
func (c *Crate) environment() (variables []rocrate.Node) {
	for _, text := range executor.Environment(time.Time{}) {
		if name, value, _ := strings.Cut(text, "="); name != "SOURCE_DATE_EPOCH" {
			variables = append(variables, rocrate.Reference(c.graph.Add(rocrate.Node{"@id": "#" + name, "@type": "PropertyValue", "name": name, "value": value})))
		}
	}
	return variables
}

// agent adds the catalog, which executed the notebook whoever asked for it.
func (c *Crate) agent() string {
	id := c.catalog + "/"
	return c.graph.Add(rocrate.Node{"@id": id, "@type": "Organization", "name": c.product, "url": id})
}

// page adds the entry's page.
func (c *Crate) page() string {
	address := c.catalog + "/resources/" + c.entry.Type.Plural() + "/" + c.entry.ID
	return c.graph.Add(rocrate.Node{"@id": address, "@type": "CreativeWork", "name": c.entry.Name, "url": address})
}

// authors adds those of the entry who are known by name. Their addresses stay out.
func (c *Crate) authors() (authors []rocrate.Node) {
	for i, person := range c.entry.People {
		if person.Name == "" || strings.Contains(person.Name, "@") {
			continue
		}
		authors = append(authors, rocrate.Reference(c.graph.Person(i+1, person.Name, person.ORCID, nil)))
	}
	return authors
}
