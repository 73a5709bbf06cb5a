package catalog

import (
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
)

// Type is the type of an entry.
type Type string

// The types of entries.
const (
	Notebook   Type = "NOTEBOOK"
	Dataset    Type = "DATASET"
	Model      Type = "MODEL"
	Repository Type = "REPOSITORY"
)

// Types are all types, in the order in which people read them.
var Types = [...]Type{Repository, Notebook, Dataset, Model}

// kind says how one type of entry is called in addresses of the page, and which fields it requires.
type kind struct {
	plural string
	check  func(Entry) []fault.Field
}

// kinds is the table of types: a new type is a constant, its place in Types, and its row here.
var kinds = map[Type]kind{
	Notebook: {"notebooks", func(r Entry) []fault.Field {
		return checkAddress("notebookPath", r.NotebookPath, "bundled:NAME.ipynb or an https address", func(address string) bool {
			return validBundled(address) || validKept(address) || ValidHTTPS(address)
		})
	}},
	Dataset: {"datasets", func(r Entry) []fault.Field {
		return checkAddress("datasetUrl", r.DatasetURL, "an https address, a DOI as in doi:10.5281/zenodo.1234, a folder below the data root, or bundled:NAME",
			func(address string) bool {
				return validBundled(address) || validKept(address) || validFolder(address) || DataAddress(address) != ""
			})
	}},
	Model: {"models", func(r Entry) []fault.Field {
		if r.ApplicationInterfaceID == "" || len(r.ApplicationInterfaceID) > addressLimit || !ValidText(r.ApplicationInterfaceID, false) {
			return []fault.Field{neededFault("applicationInterfaceId", "the model's id at the workflow platform")}
		}
		return nil
	}},
	Repository: {"repositories", func(r Entry) []fault.Field {
		return checkAddress("repositoryUrl", r.RepositoryURL, "an https address such as https://github.com/owner/name", ValidRepository)
	}},
}

// Plural is the type in addresses of the page: /resources/{plural}/{id}.
func (t Type) Plural() string { return kinds[t].plural }

// ParseTypes parses a comma-separated list of types in any case and removes duplicates. An unknown one is Invalid,
// naming the valid ones.
func ParseTypes(list string) ([]Type, error) {
	return parseList(list, Types[:], strings.ToUpper, func(name string) error {
		return fault.InvalidField("query.type", "%s isn't a resource type; the valid ones are %s.", fault.Quote(name), names(Types[:]))
	})
}

// parseList parses a comma-separated list of valid values in any case and removes duplicates; another one is what unknown
// returns for it.
func parseList[Value ~string](list string, valid []Value, inCase func(string) string, unknown func(name string) error) ([]Value, error) {
	var result []Value
	for name := range strings.SplitSeq(list, ",") {
		value := Value(inCase(strings.TrimSpace(name)))
		if value == "" || slices.Contains(result, value) {
			continue
		}
		if !slices.Contains(valid, value) {
			return nil, unknown(name)
		}
		result = append(result, value)
	}
	return result, nil
}

func names[Value ~string](values []Value) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	return strings.Join(texts, ", ")
}

func checkAddress(location, address, wanted string, valid func(string) bool) []fault.Field {
	if len(address) <= addressLimit && valid(address) {
		return nil
	}
	return []fault.Field{addressFault(location, address, wanted)}
}

func addressFault(location, address, wanted string) fault.Field {
	if address == "" {
		return neededFault(location, wanted)
	}
	return fault.Field{Location: location, Message: fault.Quote(address) + " must be " + wanted}
}

func neededFault(location, wanted string) fault.Field {
	return fault.Field{Location: location, Message: "is needed: " + wanted, Ask: "Give " + wanted + "."}
}

// ValidHTTPS reports whether a text is an https address with a host and without a password.
func ValidHTTPS(address string) bool {
	parsed, ok := ParseAddress(address)
	return ok && parsed.Scheme == "https"
}

// ValidRepository reports whether a text is the address of a repository: https, or http on a loopback address, where
// the demo's repositories are, with a path, and without anything that a command could parse as an option.
func ValidRepository(address string) bool {
	parsed, ok := ParseAddress(address)
	if !ok || strings.Trim(parsed.Path, "/") == "" || strings.ContainsAny(address, "?#") {
		return false
	}
	ip, err := netip.ParseAddr(parsed.Hostname())
	host := strings.ToLower(parsed.Hostname())
	loopback := host == "localhost" || strings.HasSuffix(host, ".localhost") || (err == nil && ip.IsLoopback())
	return parsed.Scheme == "https" || (parsed.Scheme == "http" && loopback)
}

// ParseAddress parses an address with a host and without a user; it returns false for any other text, and for one with
// blanks or unprintable characters.
func ParseAddress(address string) (*url.URL, bool) {
	if !utf8.ValidString(address) || strings.ContainsFunc(address, func(r rune) bool { return r == ' ' || r == '\\' || !unicode.IsPrint(r) }) {
		return nil, false
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" || parsed.User != nil || strings.HasPrefix(parsed.Host, "-") {
		return nil, false
	}
	return parsed, true
}

// bundledPrefix begins the address of what is on this server itself.
const bundledPrefix = "bundled:"

var bundledPattern = regexp.MustCompile(`^` + bundledPrefix + `[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

func validBundled(address string) bool { return bundledPattern.MatchString(address) }

// validFolder admits relative paths below a root: no empty, hidden or parent elements.
func validFolder(address string) bool {
	if address == "" || strings.ContainsAny(address, ":\\") || !ValidText(address, false) || path.Clean(address) != address {
		return false
	}
	for element := range strings.SplitSeq(address, "/") {
		if element == "" || strings.HasPrefix(element, ".") || strings.HasPrefix(element, "-") {
			return false
		}
	}
	return true
}

var unsafeInFolder = regexp.MustCompile(`[^A-Za-z0-9._+-]+`)

// folderName turns the last part of an address into the name of a folder.
func folderName(address string) string {
	address = strings.TrimRight(address, "/")
	if parsed, err := url.Parse(address); err == nil && parsed.Path != "" {
		address = parsed.Path
	}
	address = address[strings.LastIndexAny(address, "/:")+1:]
	name := strings.Trim(unsafeInFolder.ReplaceAllString(address, "-"), ".-+")
	return name[:min(len(name), 90)]
}

// RepositoryFolder is the folder of a repository in a session's work folder: the last part of its address without
// ".git". The name "data" is reserved for the datasets, so such a repository is in "data-repository".
func RepositoryFolder(address string) string {
	name := folderName(strings.TrimSuffix(strings.TrimRight(address, "/"), ".git"))
	switch name {
	case "":
		return "repository"
	case "data":
		return "data-repository"
	}
	return name
}

// NotebookFile is the file of a single notebook in a session's work folder: the last part of its address, in any script.
func NotebookFile(address string) string {
	name := strings.TrimPrefix(address, bundledPrefix)
	if parsed, err := url.Parse(name); err == nil && parsed.Path != "" {
		name = parsed.Path
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	if extension := path.Ext(name); strings.EqualFold(extension, ".ipynb") {
		name = strings.TrimSuffix(name, extension)
	}
	name = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Letter, unicode.Mark, unicode.Number) || strings.ContainsRune(" ._+-()&=#%,", r) {
			return r
		}
		return '-'
	}, strings.ToValidUTF8(name, "-"))
	name = strings.Trim(strings.ToValidUTF8(name[:min(len(name), 150)], ""), " .-")
	if name == "" {
		name = "notebook"
	}
	return name + ".ipynb"
}

// DatasetFolder is the folder of a dataset of a name below work/data of a session: the last part of its address, or the name of kept files.
func DatasetFolder(address, name string) string {
	if _, kept := ParseKept(address); kept {
		return KeptFolder(name, "dataset")
	}
	if name := folderName(address); name != "" {
		return name
	}
	return "dataset"
}

// typeNames returns types as the index has them.
func typeNames(types []Type) []string {
	names := make([]string, len(types))
	for i, value := range types {
		names[i] = string(value)
	}
	return names
}
