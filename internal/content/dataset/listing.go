package dataset

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"cairn/internal/foundation/plaintext"
)

// Limits of listings.
const (
	entriesShown = 1_000
	entriesRead  = 10_000 // where counting ends
)

// Listing is the content of a folder in a dataset.
type Listing struct {
	Available bool           `json:"available" doc:"The data is on this server and can be read"`
	Note      string         `json:"note,omitempty" doc:"Why it is not available"`
	Path      string         `json:"path" doc:"The folder, below the dataset's own; empty for that itself"`
	Entries   []ListingEntry `json:"entries" doc:"Folders first, then by name, 1,000 at most; hidden ones are left out"`
	Total     int            `json:"total" doc:"How many there are"`
	More      bool           `json:"more" doc:"There are more than total: counting ended at 10,000"`
}

// ListingEntry is a file or folder in a dataset.
type ListingEntry struct {
	Type    string `json:"type" enum:"dir,file,other" doc:"other: a pipe, a device, a link that leads nowhere or out of the dataset"`
	Path    string `json:"path" doc:"Below the dataset's own folder"`
	Name    string `json:"name"`
	Size    int64  `json:"size" doc:"Bytes of a file"`
	Preview string `json:"preview" enum:"TABLE,STRUCTURE,MARKDOWN,TEXT,NONE" doc:"Which call shows its beginning"`
}

// Types of entries.
const (
	TypeFolder = "dir"
	typeFile   = "file"
	typeOther  = "other"
)

// List returns the content of a folder, or the only file of a dataset that is a file.
func (t *Tree) List(name string) (Listing, error) {
	result := Listing{Available: true, Path: name, Entries: []ListingEntry{}}
	inside, err := t.inside(name)
	if err != nil {
		return Listing{}, err
	}
	if t.single != "" {
		if name != "" {
			return Listing{}, errAbsent
		}
		result.Entries = append(result.Entries, t.entry("", path.Base(t.single)))
		result.Total = 1
		return result, nil
	}
	if info, err := t.root.Stat(inside); err != nil {
		return Listing{}, faultOf(err)
	} else if !info.IsDir() {
		return Listing{}, errAbsent
	}
	names, more, err := t.names(inside)
	if err != nil {
		return Listing{}, faultOf(err)
	}
	for _, each := range names {
		if !isHidden(each) {
			result.Entries = append(result.Entries, t.entry(name, each))
		}
	}
	slices.SortFunc(result.Entries, func(a, b ListingEntry) int {
		return cmp.Or(
			-cmp.Compare(btoi(a.Type == TypeFolder), btoi(b.Type == TypeFolder)),
			cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	result.Total, result.More = len(result.Entries), more
	result.Entries = result.Entries[:min(entriesShown, len(result.Entries))]
	return result, nil
}

func btoi(value bool) int {
	if value {
		return 1
	}
	return 0
}

// names returns the names in a folder, unordered, and whether there are more than the limit.
func (t *Tree) names(folder string) ([]string, bool, error) {
	opened, err := t.root.Open(folder)
	if err != nil {
		return nil, false, err
	}
	defer opened.Close()
	names, err := opened.Readdirnames(entriesRead + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	return names[:min(entriesRead, len(names))], len(names) > entriesRead, nil
}

// entry returns the entry for a name in a folder. Links count as what they lead to, if that is inside the dataset.
func (t *Tree) entry(folder, name string) ListingEntry {
	result := ListingEntry{Type: typeOther, Path: path.Join(folder, name), Name: name, Preview: previewNone}
	inside, err := t.inside(result.Path) // refuses names that a request can't contain
	if err != nil {
		result.Name, result.Path = strings.ToValidUTF8(name, "\ufffd"), strings.ToValidUTF8(result.Path, "\ufffd")
		return result
	}
	info, err := t.root.Lstat(inside)
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		info, err = t.root.Stat(inside)
	}
	switch {
	case err != nil:
	case info.IsDir():
		result.Type = TypeFolder
	case info.Mode().IsRegular():
		result.Type, result.Size, result.Preview = typeFile, info.Size(), previewOf(name)
	}
	return result
}

// The kinds of previews of a file.
const (
	PreviewTable    = "TABLE"
	previewTree     = "STRUCTURE"
	previewMarkdown = "MARKDOWN"
	previewText     = "TEXT"
	previewNone     = "NONE"
)

// previews maps lower-case extensions to kinds of previews.
var previews = map[string]string{".csv": PreviewTable, ".tsv": PreviewTable, ".tab": PreviewTable, ".md": previewMarkdown, ".markdown": previewMarkdown}

// trees are the extensions of files of arrays.
var trees = strings.Fields(".h5 .hdf5 .hdf .he5 .h5ad .nwb .nc .nc4 .cdf .netcdf")

// texts are the extensions of plain text files.
var texts = strings.Fields(`.txt .text .log .py .r .jl .m .c .h .cpp .hpp .f .f90 .go .js .ts .java .sh .sql .tex .bib .rst .json .jsonl
	.yaml .yml .toml .ini .cfg .conf .xml .html .pdb .mol .xyz .gro .top .mdp .fasta .fa .readme .license`)

// IsTable reports whether a file has a preview as a table.
func IsTable(name string) bool { return previewOf(path.Base(name)) == PreviewTable }

// previewOf returns the kind of preview for a file name. Names without an extension are a README or a LICENSE.
func previewOf(name string) string {
	name = strings.ToLower(name)
	if isPacked(name) {
		if previews[path.Ext(strings.TrimSuffix(name, ".gz"))] == PreviewTable {
			return PreviewTable
		}
		return previewNone
	}
	end := cmp.Or(path.Ext(name), "."+name)
	if slices.Contains(texts, end) {
		return previewText
	}
	if _, isTable := binaryTables[end]; isTable {
		return PreviewTable
	}
	if slices.Contains(trees, end) {
		return previewTree
	}
	return cmp.Or(previews[end], previewNone)
}

// TextFile is the beginning of a text file.
type TextFile struct {
	Path     string `json:"path"`
	Size     int64  `json:"size" doc:"Bytes of the whole file"`
	Text     string `json:"text" doc:"Its first 64 KiB"`
	Complete bool   `json:"complete" doc:"There is no more than that"`
	Markdown bool   `json:"markdown" doc:"It is written in Markdown"`
}

const textBytes = 64 << 10

// Text returns the beginning of a text file; Invalid when it isn't text.
func (t *Tree) Text(name string) (TextFile, error) {
	begin, err := t.read(name, textBytes, previewText, previewMarkdown)
	if err != nil {
		return TextFile{}, err
	}
	decoded, _, ok := plaintext.Decode(begin.bytes, begin.whole)
	if !ok || !utf8.Valid(decoded) {
		return TextFile{}, errNoText
	}
	return TextFile{
		Path: name, Size: begin.size, Text: string(decoded), Complete: begin.whole, Markdown: previewOf(path.Base(name)) == previewMarkdown,
	}, nil
}
