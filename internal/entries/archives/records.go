package archives

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/safehttp"

	"github.com/github/go-spdx/v2/spdxexp"
)

// RecordsOptions say where records are looked for. No other server is asked or believed.
type RecordsOptions struct {
	DOIURL        string    // "": https://doi.org
	ZenodoURL     string    // "": https://zenodo.org
	FigshareURL   string    // of the API; "": https://api.figshare.com
	DataverseURLs []string  // nil: DataverseInstallations
	Archives      []Archive // in addition
	Client        *safehttp.Client
	Now           func() time.Time // nil: time.Now
}

// Record is what is behind a DOI. All texts are those of the archive.
type Record struct {
	DOI         string // of the version that is described, if versions have their own
	ConceptDOI  string // of all versions together; "" if there is none
	Title       string
	Description string // HTML that nobody has cleaned
	License     string // an SPDX identifier, or else the archive's words; "" if it says none
	People      []Person
	Published   string // a date, as precise as it's known: 2026-11-30, 2026-11 or 2026
	Version     string
	Keywords    []string
	Files       []File
	Restricted  bool // there are files that can't be fetched
	Moves       bool // the DOI is that of all versions, and Version is the newest one
	Archive     string
	URL         string // of its page
}

// File is a file of a record.
type File struct {
	Path       string // relative, with slashes, unique, and never out of its folder
	Size       int64  // in bytes; -1 if the archive doesn't say
	URL        string // where it can be fetched without a token; "": it can't be
	Digest     Digest // of the content that URL has; the zero value if the archive says none
	Comparable bool   // the archive says a digest of what it sends. Otherwise only the size can be checked
	Note       string // what is special about it, a sentence; "" for most
}

// Digest is a checksum in hexadecimal. Algorithm is md5, sha1, sha256 or sha512.
type Digest struct{ Algorithm, Value string }

// String is a digest as in md5:d41d8cd98f00b204e9800998ecf8427e; "" for the zero value.
func (d Digest) String() string {
	if d.Value == "" {
		return ""
	}
	return d.Algorithm + ":" + d.Value
}

// ErrElsewhere is why a DOI that exists isn't found: it leads to a server that isn't known.
var ErrElsewhere = errors.New("it is at no archive that is known")

// MostFiles is how many files of a record are listed.
const MostFiles = 10_000

const (
	recordBytes = 32 << 20
	recordTime  = 30 * time.Second
)

// place is a server that is asked.
type place struct {
	base, label string
}

func placeOf(address, label string) place {
	address = strings.TrimSuffix(address, "/")
	return place{address, cmp.Or(label, humanize.Host(address))}
}

// finder reads a record from a place.
type finder func(ctx context.Context, at place, doi string, target *url.URL) (Record, error)

// Records finds what is behind DOIs. It is safe for concurrent use.
type Records struct {
	client        *safehttp.Client
	now           func() time.Time
	doi, figshare place
	hosts         map[string]known // by the host of addresses
}

type known struct {
	place

	find finder
}

// NewRecords returns a Records.
func NewRecords(options RecordsOptions) *Records {
	r := &Records{client: options.Client, now: options.Now, hosts: map[string]known{}}
	if r.now == nil {
		r.now = time.Now
	}
	r.doi = placeOf(cmp.Or(options.DOIURL, "https://doi.org"), "")
	r.figshare = placeOf(cmp.Or(options.FigshareURL, "https://api.figshare.com"), "Figshare")
	installations := options.DataverseURLs
	if installations == nil {
		installations = DataverseInstallations
	}
	for _, address := range installations {
		r.know(placeOf(address, ""), r.findDataverse)
	}
	r.know(r.figshare, r.findFigshare)
	r.know(placeOf(cmp.Or(options.ZenodoURL, "https://zenodo.org"), "Zenodo"), r.findZenodo)
	for _, one := range options.Archives {
		find := r.findZenodo
		if one.Kind == KindInvenioRDM {
			find = r.findInvenio
		}
		r.know(placeOf(one.URL, one.Label), find)
	}
	return r
}

func (r *Records) know(at place, find finder) {
	if parsed, err := url.Parse(at.base); err == nil {
		r.hosts[hostOf(parsed)] = known{at, find}
	}
}

func hostOf(address *url.URL) string {
	return strings.TrimPrefix(strings.ToLower(address.Host), "www.")
}

// Find returns the record behind a DOI, in any form that ParseDOI reads. Invalid for what isn't a DOI, or belongs to no archive
// that is known; NotFound for one that doesn't exist; Forbidden if none of its files can be fetched; TooLarge for more than
// MostFiles. The DOI of all versions together gives the newest.
func (r *Records) Find(ctx context.Context, text string) (Record, error) {
	doi := ParseDOI(text)
	if doi == "" {
		return Record{}, fault.New(fault.Invalid, "%s isn't a DOI. Write it as in 10.5281/zenodo.1234567.", fault.Quote(text))
	}
	target, err := r.resolve(ctx, doi)
	if err != nil {
		return Record{}, err
	}
	host := hostOf(target)
	at, ok := r.hosts[host]
	if !ok && (host == "figshare.com" || strings.HasSuffix(host, ".figshare.com") || figshareDOI.MatchString(doi)) {
		at, ok = known{r.figshare, r.findFigshare}, true
	}
	if !ok {
		return Record{}, fault.Wrap(ErrElsewhere, fault.Invalid, "The DOI leads to %s, from which this server takes no data. It takes them from Zenodo, Figshare, and archives with Dataverse or InvenioRDM that it knows.", fault.Quote(host))
	}
	found, err := at.find(ctx, at.place, doi, target)
	if err != nil {
		return Record{}, err
	}
	found.Archive = at.label
	return found.finish()
}

// finish makes the paths safe, and refuses a record of which nothing can be fetched.
func (r Record) finish() (Record, error) {
	if len(r.Files) > MostFiles {
		return Record{}, tooMany(r.Archive)
	}
	taken, fetchable := map[string]bool{}, 0
	for i := range r.Files {
		file := &r.Files[i]
		file.Path = unique(safePath(file.Path, i), taken)
		file.Comparable = file.Comparable && file.Digest.Value != ""
		if !file.Comparable {
			file.Digest = Digest{}
		}
		if file.URL != "" {
			fetchable++
			continue
		}
		r.Restricted = true
	}
	switch {
	case fetchable > 0:
		return r, nil
	case r.Restricted:
		return Record{}, fault.New(fault.Forbidden, "%s shows none of the files of %s to everybody: they are restricted, or under an embargo.", r.Archive, fault.Quote(r.Title))
	}
	return Record{}, fault.New(fault.Invalid, "%s has no files for %s.", r.Archive, fault.Quote(r.Title))
}

func tooMany(archive string) error {
	return fault.New(fault.TooLarge, "This record of %s has too many files: the limit is %d.", archive, MostFiles)
}

// safePath makes a path relative, without what leads out of a folder.
func safePath(text string, number int) string {
	var elements []string
	for element := range strings.SplitSeq(strings.ReplaceAll(printable(text), `\`, "/"), "/") {
		element = strings.Join(strings.Fields(element), " ")
		for len(element) > 255 { // what file systems take
			_, size := utf8.DecodeLastRuneInString(element)
			element = element[:len(element)-size]
		}
		if element != "" && element != "." && element != ".." {
			elements = append(elements, element)
		}
	}
	if len(elements) == 0 {
		return "file-" + strconv.Itoa(number+1)
	}
	return strings.Join(elements, "/")
}

// unique returns a path that isn't taken, and takes it.
func unique(wanted string, taken map[string]bool) string {
	extension := path.Ext(wanted)
	result := wanted
	for number := 2; taken[strings.ToLower(result)]; number++ {
		result = strings.TrimSuffix(wanted, extension) + "-" + strconv.Itoa(number) + extension
	}
	taken[strings.ToLower(result)] = true
	return result
}

// get asks a place and decodes the answer. Nothing is sent along that others may not see.
func (r *Records) get(ctx context.Context, at place, path string, into any) error {
	response, body, err := r.client.Read(ctx, safehttp.Request{
		Address: at.base + path, Header: http.Header{"Accept": {"application/json"}}, MaxBytes: recordBytes, Timeout: recordTime,
	})
	if err != nil {
		return err
	}
	if asked, err := url.Parse(at.base); err != nil || !isAt(response.Address, asked) {
		return fault.New(fault.BadUpstream, "%s redirects to another server.", at.label)
	}
	switch response.Status {
	case http.StatusNotFound, http.StatusGone:
		return fault.New(fault.NotFound, "%s has no such record, or no longer.", at.label)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.New(fault.Forbidden, "%s doesn't show this record to everybody.", at.label)
	case http.StatusTooManyRequests:
		return session{web: &web{label: at.label}}.limited(response.Header)
	}
	if err := response.MustBeOK(); err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fault.Wrap(err, fault.BadUpstream, "%s sent an answer that can't be read.", at.label)
	}
	return nil
}

// isAt reports whether an address is at the host of another.
func isAt(address string, other *url.URL) bool {
	parsed, err := url.Parse(address)
	return err == nil && hostOf(parsed) == hostOf(other)
}

var licenseWord = regexp.MustCompile(`^[A-Za-z0-9.+-]{1,100}$`)

// licenseOf returns the SPDX identifier that a text means, or the text.
func licenseOf(text string) string {
	text = plain(text)
	dashed := strings.ReplaceAll(text, " ", "-")
	for _, candidate := range []string{strings.Replace(dashed, "+", "-or-later", 1), dashed, dashed + "-1.0"} {
		if !licenseWord.MatchString(candidate) {
			continue
		}
		known, unknown := spdxexp.ValidateAndNormalizeLicensesWithOptions([]string{candidate}, spdxexp.ValidateLicensesOptions{})
		if len(unknown) == 0 && len(known) == 1 {
			return known[0]
		}
	}
	return text
}

// dateOf returns the day in a text that begins with one, as precise as it is.
func dateOf(text string) string {
	if len(text) > len(time.DateOnly) {
		text = text[:len(time.DateOnly)]
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if _, err := time.Parse(layout, text); err == nil {
			return text
		}
	}
	return ""
}

// allPlain returns texts without what isn't a word.
func allPlain(texts []string) []string {
	var all []string
	for _, one := range texts {
		if one = plain(one); one != "" {
			all = append(all, one)
		}
	}
	return all
}

// orcidOf returns an ORCID without its address.
func orcidOf(text string) string {
	id := text[strings.LastIndexByte(text, '/')+1:]
	if len(id) != len("0000-0000-0000-0000") || strings.Trim(id, "0123456789-X") != "" {
		return ""
	}
	return id
}

// digestOf reads a checksum with its algorithm, as in md5:d41d8cd98f00b204e9800998ecf8427e.
func digestOf(text string) Digest {
	name, value, _ := strings.Cut(text, ":")
	name, value = strings.ReplaceAll(strings.ToLower(name), "-", ""), strings.ToLower(value)
	lengths := map[string]int{"md5": 32, "sha1": 40, "sha256": 64, "sha512": 128}
	if lengths[name] != len(value) || strings.Trim(value, "0123456789abcdef") != "" {
		return Digest{}
	}
	return Digest{name, value}
}
