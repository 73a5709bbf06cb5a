package codehost

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Citation is what a CITATION.cff says about a work, as it is written.
type Citation struct {
	Title, Abstract, License, Version, DOI string
	Keywords                               []string
	People                                 []map[string]string // name, email, orcid
}

// ParseCitation returns the fields of a CITATION.cff that can be read; none if it isn't YAML.
func ParseCitation(content []byte) Citation {
	var c Citation
	root, problem := rootOf(content)
	if problem != nil {
		return c
	}
	texts := map[string]*string{
		"title": &c.Title, "abstract": &c.Abstract, "license": &c.License, "version": &c.Version, "doi": &c.DOI,
	}
	for key, value := range pairs(root) {
		switch text := texts[key.Value]; {
		case text != nil && value.Kind == yaml.ScalarNode:
			*text = strings.TrimSpace(value.Value)
		case key.Value == "license" && value.Kind == yaml.SequenceNode: // any of them
			var licenses []string
			for _, item := range value.Content {
				licenses = append(licenses, strings.TrimSpace(item.Value))
			}
			c.License = strings.Join(licenses, " OR ")
		case key.Value == "identifiers" && value.Kind == yaml.SequenceNode:
			for _, item := range value.Content {
				if fields := scalars(item); fields["type"] == "doi" && c.DOI == "" {
					c.DOI = fields["value"]
				}
			}
		case key.Value == "keywords" && value.Kind == yaml.SequenceNode:
			for _, item := range value.Content {
				if item.Kind == yaml.ScalarNode {
					c.Keywords = append(c.Keywords, strings.TrimSpace(item.Value))
				}
			}
		case key.Value == "authors" && value.Kind == yaml.SequenceNode:
			for _, item := range value.Content {
				if person := personOf("authors", item); person != nil {
					c.People = append(c.People, person)
				}
			}
		}
	}
	return c
}

// scalars returns the texts of a mapping; none of anything else.
func scalars(node *yaml.Node) map[string]string {
	found := map[string]string{}
	if node.Kind == yaml.MappingNode {
		for key, value := range pairs(node) {
			if value.Kind == yaml.ScalarNode {
				found[key.Value] = strings.TrimSpace(value.Value)
			}
		}
	}
	return found
}
