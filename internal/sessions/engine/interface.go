package engine

import (
	"path"
	"regexp"
	"strings"
)

// Interface names the pages that a session's server shows; "" where the engine doesn't know it.
type Interface string

// The interfaces.
const (
	Classic Interface = "classic" // Notebook and nbclassic
	Lab     Interface = "lab"     // JupyterLab
)

// Address returns the path, below a session's server, of the page that shows a file: in the application for such files, or
// the list of files. A folder's name ends with a slash; an empty name is the work folder. The path isn't escaped.
func (i Interface) Address(file string) string {
	extension := strings.ToLower(path.Ext(file))
	switch {
	case i == Lab && file == "":
		return "lab"
	case i == Lab:
		return "lab/tree/" + file
	case file == "":
		return "tree"
	case extension == ".ipynb":
		return "notebooks/" + file
	case editable[extension] && !strings.HasSuffix(file, "/"):
		return "edit/" + file
	}
	return "tree/" + file
}

// editable are the extensions of texts. The classic list of files shows everything else itself.
var editable = map[string]bool{
	"": true, ".cfg": true, ".csv": true, ".ini": true, ".jl": true, ".json": true, ".md": true, ".py": true, ".r": true, ".rmd": true,
	".rst": true, ".sh": true, ".tex": true, ".toml": true, ".tsv": true, ".txt": true, ".yaml": true, ".yml": true,
}

var (
	classicPage = regexp.MustCompile(`^(?:nbclassic/)?(?:tree|notebooks|edit)(?:/(.*))?$`)
	labPage     = regexp.MustCompile(`^(?:lab|doc)(?:/workspaces/[^/]+)?(?:/tree/(.*)|/)?$`)
)

// Readdress returns the path at which an interface shows the same file as a page of the other one, whose server may have
// no page there: the session was started again with another program. All other paths are returned as they are.
func (i Interface) Readdress(page string) string {
	switch i {
	case Lab:
		if found := classicPage.FindStringSubmatch(page); found != nil {
			return i.Address(found[1])
		}
	case Classic:
		found := labPage.FindStringSubmatch(page)
		switch {
		case found == nil:
		case path.Ext(found[1]) == "" && found[1] != "":
			return "tree/" + found[1] // a folder, or a file to which the list leads
		default:
			return i.Address(found[1])
		}
	}
	return page
}
