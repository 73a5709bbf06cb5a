package hierarchy

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// outline returns a tree as lines.
func outline(tree Tree) string {
	var lines strings.Builder
	for _, node := range tree.Nodes {
		fmt.Fprintf(&lines, "%s%s %s", strings.Repeat(" ", node.Depth), node.Name, node.Kind)
		for _, part := range []string{node.Type, node.Units, node.Target} {
			if part != "" {
				fmt.Fprintf(&lines, " %s", part)
			}
		}
		if len(node.Dimensions) > 0 {
			fmt.Fprintf(&lines, " %v", node.Dimensions)
		}
		for _, each := range node.Attributes {
			fmt.Fprintf(&lines, "; %s=%s", each.Name, each.Value)
		}
		fmt.Fprintln(&lines)
	}
	return lines.String()
}

func read(t testing.TB, name string) Tree {
	t.Helper()
	content, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Read(t.Context(), bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return tree
}

const recordings = ` GROUP; title=Spikes of a cell; version=3
 again GROUP
  big VARIABLE int64 [2 3]
  empty VARIABLE float32 [0]
  flags VARIABLE boolean [2]
  labels VARIABLE string [2]
  pairs VARIABLE compound (x: float64, n: uint16, t: string (5 bytes)) [3]
  ragged VARIABLE sequence of int32 [2]
  ref VARIABLE reference [1]
  scalar VARIABLE float64
  state VARIABLE enumeration (OFF, ON) [2]
  up LINK /
  voltage VARIABLE float32 mV [1000+ 4]; fixed=fixed text; many=0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …; range=-80, 40; units=mV
 crowd GROUP`

// With the earliest version, links are in tables and attributes in headers; with the latest, many of them are in heaps.
func TestFilesOfHDF5(t *testing.T) {
	for _, name := range []string{"earliest.h5", "latest.h5"} {
		tree := read(t, name)
		got := outline(tree)
		if !strings.HasPrefix(got, recordings) || !tree.Complete || tree.Format != FormatHDF5 {
			t.Errorf("%s:\n%s", name, got)
		}
		for i := range 40 {
			if !strings.Contains(got, fmt.Sprintf("\n  g%02d GROUP\n", i)) {
				t.Errorf("%s lacks g%02d", name, i)
			}
		}
		for i := range 30 {
			if !strings.Contains(got, fmt.Sprintf("; a%02d=%d", i, i)) {
				t.Errorf("%s lacks a%02d", name, i)
			}
		}
		if want := "\n outside LINK other.h5: /x\n recordings LINK /again\n soft LINK /recordings/voltage\n"; !strings.HasSuffix(got, want) {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestFilesOfNWB(t *testing.T) {
	want := ` GROUP; neurodata_type=NWBFile; nwb_version=2.6.0
 acquisition GROUP
  ElectricalSeries GROUP; neurodata_type=ElectricalSeries
   data VARIABLE int16 volts [30000 32]; conversion=1e-06; unit=volts
   starting_time VARIABLE float64 seconds; rate=30000; unit=seconds
 identifier VARIABLE string
 session_description VARIABLE string
`
	if got := outline(read(t, "session.nwb")); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestFilesOfNetCDF(t *testing.T) {
	classic := ` GROUP; title=Temperatures
 time VARIABLE float64 hours since 2026-01-01 [time=2+]; units=hours since 2026-01-01
 lat VARIABLE float32 degrees_north [lat=3]; units=degrees_north
 lon VARIABLE float32 degrees_east [lon=4]; units=degrees_east
 temperature VARIABLE float32 K [time=2+ lat=3 lon=4]; _FillValue=-9999; units=K; long_name=air temperature
`
	for name, want := range map[string]string{
		"climate3.nc": classic, "climate3-64.nc": classic, "climate5.nc": classic,
		"scipy.nc": " GROUP; history=made by scipy\n y VARIABLE int16 m [x=5]; units=m\n",
		"climate4.nc": ` GROUP; _NCProperties=version=2,netcdf=4.9.0,hdf5=1.10.8; title=Temperatures
 lat VARIABLE float32 degrees_north [lat=3]; units=degrees_north
 lon VARIABLE float32 degrees_east [lon=4]; units=degrees_east
 model GROUP
  run VARIABLE int32; note=scalar
 temperature VARIABLE float32 K [time=2+ lat=3 lon=4]; _FillValue=-9999; long_name=air temperature; units=K
 time VARIABLE float64 hours since 2026-01-01 [time=2+]; units=hours since 2026-01-01
`,
	} {
		if got := outline(read(t, name)); got != want {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestFilesThatAreNone(t *testing.T) {
	huge := "CDF\x05" + strings.Repeat("\x00", 8) + "\x00\x00\x00\x0a\x7f\xff\xff\xff\xff\xff\xff\xff"
	for name, content := range map[string]string{
		"nothing": "", "short": "CD", "text": "a,b\n1,2\n and so on", "version": "CDF\x09" + strings.Repeat("\x00", 40), "cut": "CDF\x01\x00\x00", "huge": huge,
		"name": huge[:16] + "\x00\x00\x00\x00\x00\x00\x00\x01\x7f\xff\xff\xff\xff\xff\xff\xff", "superblock": signature, "zeros": signature + strings.Repeat("\x00", 200),
		"ones": signature + "\x02\x08\x08\x00" + strings.Repeat("\xff", 200), "itself": signature + "\x02\x08\x08\x00" + strings.Repeat("\x00", 200),
	} {
		if tree, err := Read(t.Context(), strings.NewReader(content), int64(len(content))); err == nil {
			t.Errorf("%s: %+v", name, tree)
		}
	}
}

func TestCirclesEnd(t *testing.T) {
	for _, name := range []string{"earliest.h5", "latest.h5"} {
		content, err := os.ReadFile("../testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		// Every sign of a block is in turn everywhere: blocks lead to blocks that they are not.
		for _, sign := range []string{"TREE", "SNOD", "HEAP", "OHDR", "OCHK", "BTHD", "BTLF", "BTIN", "FRHP", "FHIB", "FHDB", "GCOL"} {
			broken := content
			for _, other := range []string{"TREE", "SNOD", "HEAP", "OCHK", "BTLF", "FHDB", "GCOL"} {
				broken = bytes.ReplaceAll(broken, []byte(other), []byte(sign))
			}
			tree, err := Read(t.Context(), bytes.NewReader(broken), int64(len(broken)))
			if err == nil && (len(tree.Nodes) == 0 || len(tree.Nodes) > nodesLimit) {
				t.Errorf("%s, %s: %d nodes", name, sign, len(tree.Nodes))
			}
		}
	}
}

func TestFloodsOfVariablesAreBounded(t *testing.T) {
	name := "\x00\x00\x00\x01a\x00\x00\x00"
	attribute := name + "\x00\x00\x00\x02\x00\x00\x00\x04text"
	list := func(tag byte, count int, each string) string {
		return string([]byte{0, 0, 0, tag, 0, byte(count >> 16), byte(count >> 8), byte(count)}) + strings.Repeat(each, count)
	}
	none := strings.Repeat("\x00", 8)
	variable := name + "\x00\x00\x00\x00" + none + "\x00\x00\x00\x06" + none
	for content, want := range map[string]struct{ nodes, attributes, more int }{
		"CDF\x01\x00\x00\x00\x00" + none + none + list(tagVariables, 50_000, variable):    {nodesLimit, 0, 0},
		"CDF\x01\x00\x00\x00\x00" + none + list(tagAttributes, 100_000, attribute) + none: {1, attributesLimit, 100_000 - attributesLimit},
	} {
		tree, err := Read(t.Context(), strings.NewReader(content), int64(len(content)))
		if err != nil || len(tree.Nodes) != want.nodes || len(tree.Nodes[0].Attributes) != want.attributes || tree.Nodes[0].MoreAttributes != want.more || tree.Complete != (want.nodes == 1) {
			t.Errorf("%d nodes, complete: %v, %v", len(tree.Nodes), tree.Complete, err)
		}
	}
}

// FuzzRead: the tree of any file has the promised shape, and reading it neither panics nor runs on.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"earliest.h5", "latest.h5", "session.nwb", "climate4.nc", "climate3.nc", "climate5.nc"} {
		content, err := os.ReadFile("../testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		tree, err := Read(t.Context(), bytes.NewReader(content), int64(len(content)))
		if err != nil {
			if strings.Contains(err.Error(), "panic") {
				t.Fatal(err)
			}
			return
		}
		if len(tree.Nodes) == 0 || len(tree.Nodes) > nodesLimit {
			t.Errorf("%d nodes", len(tree.Nodes))
		}
		for i, node := range tree.Nodes {
			if i > 0 && (node.Depth < 1 || node.Depth > tree.Nodes[i-1].Depth+1) || len(node.Attributes) > attributesLimit || len(node.Dimensions) > ranksLimit {
				t.Errorf("got %+v", node)
			}
		}
	})
}
