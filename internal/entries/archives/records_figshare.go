package archives

import (
	"context"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

var (
	figshareDOI      = regexp.MustCompile(`(?i)^10\.\d+/m9\.figshare\.\d+(?:\.v\d+)?$`)
	articleInDOI     = regexp.MustCompile(`\.(\d+)(?:\.v(\d+))?$`)
	articleInPath    = regexp.MustCompile(`/(\d+)(?:/(\d+))?/?$`)
	versionInArticle = regexp.MustCompile(`(?i)\.v\d+$`)
)

// article is an item of Figshare.
type article struct {
	Title       string   `json:"title"`
	DOI         string   `json:"doi"`
	Description string   `json:"description"`
	Published   string   `json:"published_date"`
	Version     int      `json:"version"`
	Tags        []string `json:"tags"`
	Embargoed   bool     `json:"is_embargoed"`
	Private     bool     `json:"is_confidential"`
	License     struct {
		Name string `json:"name"`
	} `json:"license"`
	Authors []struct {
		Name  string `json:"full_name"`
		ORCID string `json:"orcid_id"`
	} `json:"authors"`
	Files []struct {
		Name     string `json:"name"`
		Size     int64  `json:"size"`
		URL      string `json:"download_url"`
		LinkOnly bool   `json:"is_link_only"`
		Computed string `json:"computed_md5"`
		Supplied string `json:"supplied_md5"`
	} `json:"files"`
}

// findFigshare reads an item of Figshare. The DOIs of institutions there have the item's number as others do.
func (r *Records) findFigshare(ctx context.Context, at place, doi string, target *url.URL) (Record, error) {
	found := articleInDOI.FindStringSubmatch(doi)
	if found == nil {
		found = articleInPath.FindStringSubmatch(target.Path)
	}
	if found == nil {
		return Record{}, isAbout(at, doi)
	}
	path := "/v2/articles/" + found[1]
	if found[2] != "" {
		path += "/versions/" + found[2]
	}
	var said article
	if err := r.get(ctx, at, path, &said); err != nil {
		return Record{}, err
	}
	concept := versionInArticle.ReplaceAllString(ParseDOI(said.DOI), "")
	if err := isAbout(at, versionInArticle.ReplaceAllString(doi, ""), concept); err != nil {
		return Record{}, err
	}
	return said.record(at, concept), nil
}

func (a article) record(at place, concept string) Record {
	record := Record{
		DOI: ParseDOI(a.DOI), ConceptDOI: concept, Title: plain(a.Title), Description: a.Description, License: licenseOf(a.License.Name),
		Published: dateOf(a.Published), Keywords: allPlain(a.Tags), Restricted: a.Embargoed || a.Private, URL: "https://doi.org/" + ParseDOI(a.DOI),
	}
	if record.DOI == concept {
		record.ConceptDOI = ""
	}
	if a.Version > 0 {
		record.Version = strconv.Itoa(a.Version)
	}
	for _, one := range a.Authors {
		record.People = append(record.People, Person{Name: plain(one.Name), ORCID: orcidOf(one.ORCID)})
	}
	for _, one := range a.Files {
		if one.LinkOnly { // the file is somewhere else, and Figshare knows nothing about it
			continue
		}
		sum := one.Computed
		if sum == "" {
			sum = one.Supplied
		}
		file := File{Path: one.Name, Size: one.Size, Digest: digestOf("md5:" + sum), Comparable: true}
		switch {
		case a.Embargoed || a.Private:
			file.Note = "It is under an embargo, or confidential."
		case isFigshare(at, one.URL):
			file.URL = one.URL
		default:
			file.Note = "Figshare says that it's elsewhere, where this server doesn't fetch it."
		}
		record.Files = append(record.Files, file)
	}
	return record
}

// isFigshare reports whether an address is one of Figshare, or of the place that is asked instead.
func isFigshare(at place, address string) bool {
	parsed, err := url.Parse(address)
	if err != nil || parsed.User != nil {
		return false
	}
	asked, err := url.Parse(at.base)
	if err == nil && parsed.Host == asked.Host && parsed.Scheme == asked.Scheme {
		return true
	}
	host := strings.ToLower(parsed.Hostname())
	return parsed.Scheme == "https" && parsed.Port() == "" && (host == "figshare.com" || strings.HasSuffix(host, ".figshare.com"))
}
