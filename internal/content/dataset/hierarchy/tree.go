// Package hierarchy reads what files of arrays say about themselves: the groups, variables and attributes of HDF5 (so of
// NetCDF-4 and NWB too) and of classic NetCDF. It reads no arrays. What a file claims (lengths, counts, links that lead in
// a circle) ends at a number of bytes that may be read.
package hierarchy

import (
	"context"
	"errors"
	"fmt"
	"io"

	"cairn/internal/content/dataset/bounded"
)

// Limits of a tree.
const (
	readBytes       = 24 << 20
	nodesLimit      = 2_000
	depthLimit      = 32
	attributesLimit = 60     // shown of a node
	attributesTotal = 3_000  // shown of a file
	valuesShown     = 12     // of an attribute
	valueLength     = 300    // characters
	nameLength      = 200    // likewise
	pathLength      = 500    // likewise
	messagesLimit   = 20_000 // of an object in HDF5
	stepsLimit      = 2_000_000
)

// Formats.
const (
	FormatHDF5   = "HDF5"
	FormatNetCDF = "NETCDF"
)

// Kinds of nodes.
const (
	KindGroup      = "GROUP"
	KindVariable   = "VARIABLE"
	KindType       = "TYPE"
	KindLink       = "LINK"
	KindUnreadable = "UNREADABLE"
)

// Tree is what a file says about itself.
type Tree struct {
	Path     string `json:"path"`
	Size     int64  `json:"size" doc:"Bytes of the file"`
	Format   string `json:"format" enum:"HDF5,NETCDF" doc:"HDF5, which files of NetCDF-4 and NWB are too, or classic NetCDF"`
	Nodes    []Node `json:"nodes" doc:"The file itself first, then what is in it, each group before its members, 2,000 at most"`
	Complete bool   `json:"complete" doc:"There are no more"`
}

// Node is a group, a variable (a dataset in HDF5) or the like.
type Node struct {
	Name           string      `json:"name" doc:"Empty for the file itself"`
	Depth          int         `json:"depth" doc:"How many groups it is in: 0 for the file itself"`
	Kind           string      `json:"kind" enum:"GROUP,VARIABLE,TYPE,LINK,UNREADABLE"`
	Type           string      `json:"type,omitempty" doc:"Of the values of a variable: float64, string, compound (x: float64, n: uint16)"`
	Dimensions     []Dimension `json:"dimensions,omitempty" doc:"Of a variable; none for a single value"`
	Units          string      `json:"units,omitempty" doc:"From its attribute of that name"`
	Target         string      `json:"target,omitempty" doc:"Where a link leads"`
	Attributes     []Attribute `json:"attributes,omitempty" doc:"The first 60"`
	MoreAttributes int         `json:"moreAttributes,omitempty" doc:"How many there are besides"`
}

// Dimension is an axis of a variable.
type Dimension struct {
	Size      int64  `json:"size"`
	Name      string `json:"name,omitempty"`
	Unlimited bool   `json:"unlimited,omitempty" doc:"It can grow"`
}

// Attribute describes a node.
type Attribute struct {
	Name  string `json:"name"`
	Value string `json:"value" doc:"The first 12 values, cut to 300 characters"`
}

var errDamaged = errors.New("the file is damaged")

// Read reads the tree of a file. ErrLimit of bounded is returned when nothing can be shown without reading too much, and
// the context's error when it ends.
func Read(ctx context.Context, file io.ReaderAt, size int64) (tree Tree, err error) {
	defer bounded.Recover(&err)
	source := bounded.New(ctx, file, readBytes)
	begin, err := source.Bytes(0, 4)
	if err != nil {
		return Tree{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	tree = Tree{Size: size, Nodes: []Node{}, Complete: true}
	if string(begin[:3]) == "CDF" {
		tree.Format = FormatNetCDF
		err = readNetCDF(&tree, source, size)
	} else {
		tree.Format = FormatHDF5
		err = readHDF5(&tree, source, size)
	}
	return tree, errors.Join(err, ctx.Err())
}

// describe adds an attribute to a node, or counts it where there are enough.
func (n *Node) describe(name, value string, room *int) {
	if (name == "units" || name == "unit") && n.Units == "" {
		n.Units = cut(value, nameLength)
	}
	if len(n.Attributes) >= attributesLimit || *room <= 0 {
		n.MoreAttributes++
		return
	}
	*room--
	n.Attributes = append(n.Attributes, Attribute{cut(name, nameLength), cut(value, valueLength)})
}
