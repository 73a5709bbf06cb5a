package runs

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"cairn/internal/executor"
)

// named returns what was run, as people call it.
func (c *crate) named() string {
	if c.run.File == "" || c.run.File == c.entry.Name {
		return c.entry.Name
	}
	return c.run.File + " of " + c.entry.Name
}

// verdict says what came out, in sentences.
func (c *crate) verdict() string {
	words := map[Verdict]string{
		Clean: "Every cell ran, and every stored output came out again.", NothingToCompare: "There was nothing to compare.",
		Needs: "It needs something that runs of the catalog don't have.", Differs: "Every cell ran, and outputs differ from the stored ones.",
		Fails: "It failed.",
	}
	said := cmp.Or(words[c.run.Verdict], "It was stopped without a verdict.")
	return said + " " + cmp.Or(c.run.Reason, fmt.Sprintf("%d of %d code cells ran.", c.run.Cells.Ran, c.run.Cells.Total))
}

// completed reports whether the execution came to its end, whatever its outputs are.
func (c *crate) completed() bool {
	return c.run.Verdict == Clean || c.run.Verdict == Differs || c.run.Verdict == NothingToCompare
}

// action adds the execution.
func (c *crate) action() string {
	one := entity{
		"@id": "urn:uuid:" + c.run.ID, "@type": "CreateAction", "name": "Execution of " + c.named(), "description": c.verdict(),
		"startTime": c.run.StartedAt.UTC().Format(crateTime), "endTime": c.run.ended().UTC().Format(crateTime),
		"actionStatus": "http://schema.org/CompletedActionStatus", "instrument": reference(c.instrument()), "agent": reference(c.agent()),
		"environment": c.environment(),
	}
	if !c.completed() {
		one["actionStatus"], one["error"] = "http://schema.org/FailedActionStatus", cmp.Or(c.run.Reason, c.verdict())
	}
	if objects := c.objects(); len(objects) > 0 {
		one["object"] = objects
	}
	results := []entity{}
	for _, file := range []entity{
		{"@id": executedName, "name": "The executed notebook", "encodingFormat": notebookType},
		{"@id": comparisonName, "name": "How its outputs differ from those that the author stored, cell by cell", "encodingFormat": "application/json"},
		{"@id": logName, "name": "The log of the execution", "encodingFormat": "text/plain"},
	} {
		if c.addFile(file) {
			results = append(results, reference(fmt.Sprint(file["@id"])))
		}
	}
	if one["result"] = results; len(results) == 0 {
		delete(one, "result")
		one["@type"] = "ActivateAction" // which is what the profile calls those without results
	}
	return c.add(one)
}

// addFile adds a file; false if the run left no such file.
func (c *crate) addFile(one entity) bool {
	content, kept := c.files[fmt.Sprint(one["@id"])]
	if !kept {
		return false
	}
	sum := sha256.Sum256(content)
	one["@type"], one["contentSize"], one["sha256"] = "File", fmt.Sprint(len(content)), hex.EncodeToString(sum[:])
	c.add(one)
	return true
}

// objects adds what was executed: the notebook as it was before, and the commit of its repository.
func (c *crate) objects() (objects []entity) {
	notebook := entity{"@id": authorName, "name": "The notebook before the run, with the outputs that its author stored", "encodingFormat": notebookType}
	if c.run.File != "" {
		notebook["alternateName"] = path.Base(c.run.File)
	}
	switch {
	case c.addFile(notebook):
		objects = append(objects, reference(authorName))
	case c.run.Digest != "": // the file isn't kept any longer
		objects = append(objects, reference(c.add(entity{"@id": "#notebook", "@type": "CreativeWork", "name": c.run.File, "sha256": c.run.Digest})))
	}
	if address := c.entry.RepositoryURL; address != "" {
		repository := entity{"@id": address, "@type": "SoftwareSourceCode", "name": "The repository of " + c.entry.Name, "codeRepository": address, "url": address}
		if c.run.Commit != "" {
			repository["version"] = c.run.Commit
		}
		objects = append(objects, reference(c.add(repository)))
	}
	return objects
}

// instrument adds the kernel that executed the notebook, and the packages that it could use.
func (c *crate) instrument() string {
	var executed struct {
		Metadata struct {
			Kernel struct {
				Name string `json:"display_name"`
			} `json:"kernelspec"`
			Language struct {
				Version string `json:"version"`
			} `json:"language_info"`
		} `json:"metadata"`
	}
	_ = json.Unmarshal(c.files[executedName], &executed) // without one, it is what the environment has
	one := entity{"@id": "#kernel", "@type": "SoftwareApplication", "name": cmp.Or(executed.Metadata.Kernel.Name, "Jupyter"), "url": "https://jupyter.org/"}
	if version := cmp.Or(executed.Metadata.Language.Version, c.run.Environment.Python); version != "" {
		one["softwareVersion"] = version
	}
	if digest := c.run.Environment.Digest; digest != "" {
		one["identifier"] = "sha256:" + digest
	}
	packages := []entity{}
	for _, text := range c.run.Environment.Packages {
		name, version, _ := strings.Cut(text, "==")
		address := "https://pypi.org/project/" + url.PathEscape(name) + "/" + url.PathEscape(version) + "/"
		packages = append(packages, reference(c.add(entity{"@id": address, "@type": "SoftwareApplication", "name": name, "softwareVersion": version, "url": address})))
	}
	if len(packages) > 0 {
		one["softwareRequirements"] = packages
	}
	return c.add(one)
}

// environment adds the variables that were set, except the date, which depends on the commit.
func (c *crate) environment() (variables []entity) {
	for _, text := range executor.Environment(time.Time{}) {
		if name, value, _ := strings.Cut(text, "="); name != "SOURCE_DATE_EPOCH" {
			variables = append(variables, reference(c.add(entity{"@id": "#" + name, "@type": "PropertyValue", "name": name, "value": value})))
		}
	}
	return variables
}

// agent adds the catalog, which executed the notebook whoever asked for it.
func (c *crate) agent() string {
	id := c.catalog + "/"
	return c.add(entity{"@id": id, "@type": "Organization", "name": c.product, "url": id})
}

// page adds the entry's page.
func (c *crate) page() string {
	address := c.catalog + "/resources/" + c.entry.Type.Plural() + "/" + c.entry.ID
	return c.add(entity{"@id": address, "@type": "CreativeWork", "name": c.entry.Name, "url": address})
}

// license adds the license of the entry. Each crate has one, even if it only says that none is known.
func (c *crate) license() string {
	text := c.entry.License
	one := entity{"@id": "#license", "@type": "CreativeWork", "name": text, "description": "The license of the entry, as an SPDX expression."}
	switch {
	case text == "":
		one["name"], one["description"] = "No known license", "The entry names no license. Ask its authors before you use more than the law allows."
	case !strings.ContainsAny(text, " ()+:"):
		one["@id"] = "https://spdx.org/licenses/" + text
	}
	return c.add(one)
}

// authors adds those of the entry who are known by name. Their addresses stay out.
func (c *crate) authors() (authors []entity) {
	for i, person := range c.entry.People {
		if person.Name == "" || strings.Contains(person.Name, "@") {
			continue
		}
		id := fmt.Sprint("#author-", i+1)
		if person.ORCID != "" {
			id = "https://orcid.org/" + person.ORCID
		}
		authors = append(authors, reference(c.add(entity{"@id": id, "@type": "Person", "name": person.Name})))
	}
	return authors
}
