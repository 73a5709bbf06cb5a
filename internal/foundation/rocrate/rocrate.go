// Package rocrate builds the graph of an RO-Crate, and the nodes that all our crates have.
package rocrate

import (
	"fmt"
	"maps"
	"strings"
)

// MetadataName is the file in which an RO-Crate describes itself.
const MetadataName = "ro-crate-metadata.json"

// TimeFormat is how a crate writes times: ISO 8601 with an offset, which validators insist on.
const TimeFormat = "2006-01-02T15:04:05.000-07:00"

// Node is a node of a crate's graph.
type Node map[string]any

// Reference returns what stands for a node in another one.
func Reference(id string) Node { return Node{"@id": id} }

// Graph collects the nodes of a crate beside its descriptor and root. The zero Graph is empty.
type Graph struct {
	nodes []Node
	known map[string]bool
}

// Add adds a node unless one with its id is there, and returns the id.
func (g *Graph) Add(one Node) string {
	id := fmt.Sprint(one["@id"])
	if !g.known[id] {
		if g.known == nil {
			g.known = map[string]bool{}
		}
		g.known[id], g.nodes = true, append(g.nodes, one)
	}
	return id
}

// Document returns the crate: its descriptor, which says what version of RO-Crate it conforms to, its root, and the graph.
func (g *Graph) Document(context any, version string, root Node) map[string]any {
	descriptor := Node{
		"@id": MetadataName, "@type": "CreativeWork", "about": Reference("./"), "conformsTo": Reference("https://w3id.org/ro/crate/" + version),
	}
	return map[string]any{"@context": context, "@graph": append([]Node{descriptor, root}, g.nodes...)}
}

// License adds a license, an SPDX expression. Each crate has one, even if it only says that none is known.
func (g *Graph) License(text string) string {
	one := Node{"@id": "#license", "@type": "CreativeWork", "name": text, "description": "The license of the entry, as an SPDX expression."}
	switch {
	case text == "":
		one["name"], one["description"] = "No known license", "The entry names no license. Ask its authors before you use more than the law allows."
	case !strings.ContainsAny(text, " ()+:"):
		one["@id"] = "https://spdx.org/licenses/" + text
	}
	return g.Add(one)
}

// Person adds somebody who is known by name; number is their place among the people of the crate, and orcid may be "".
func (g *Graph) Person(number int, name, orcid string, more Node) string {
	one := Node{"@id": fmt.Sprint("#author-", number), "@type": "Person", "name": name}
	if orcid != "" {
		one["@id"] = "https://orcid.org/" + orcid
	}
	maps.Copy(one, more)
	return g.Add(one)
}
