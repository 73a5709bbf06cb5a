package archives

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// DataverseInstallations are those that are known without a word of the operators: DOIs don't tell that they belong to one.
var DataverseInstallations = []string{
	"https://abacus.library.ubc.ca", "https://archaeology.datastations.nl", "https://archive.data.jhu.edu", "https://bonndata.uni-bonn.de",
	"https://borealisdata.ca", "https://darus.uni-stuttgart.de", "https://data.aussda.at", "https://data.cimmyt.org", "https://data.crossda.hr",
	"https://data.fz-juelich.de", "https://data.goettingen-research-online.de", "https://data.qdr.syr.edu", "https://data.scielo.org",
	"https://data.sciencespo.fr", "https://dataspace.ust.hk", "https://dataverse.ada.edu.au", "https://dataverse.asu.edu", "https://dataverse.cirad.fr",
	"https://dataverse.csuc.cat", "https://dataverse.harvard.edu", "https://dataverse.ird.fr", "https://dataverse.lib.virginia.edu",
	"https://dataverse.nl", "https://dataverse.no", "https://dataverse.tdl.org", "https://dataverse.uclouvain.be", "https://dataverse.unc.edu",
	"https://dataverse.unimi.it", "https://dvn.fudan.edu.cn", "https://edatos.consorciomadrono.es", "https://edmond.mpg.de",
	"https://entrepot.recherche.data.gouv.fr", "https://heidata.uni-heidelberg.de", "https://lida.dataverse.lt",
	"https://lifesciences.datastations.nl", "https://opendata.pku.edu.cn", "https://phys-techsciences.datastations.nl", "https://rdr.kuleuven.be",
	"https://redu.unicamp.br", "https://researchdata.cuhk.edu.hk", "https://researchdata.ntu.edu.sg", "https://ssh.datastations.nl",
	"https://www.sodha.be",
}

const dataversePage = 500 // files

// dataset is a version of a dataset of Dataverse.
type dataset struct {
	Major     json.Number `json:"versionNumber"`
	Minor     json.Number `json:"versionMinorNumber"`
	Published string      `json:"publicationDate"`
	Released  string      `json:"releaseTime"`
	DOI       string      `json:"datasetPersistentId"`
	License   any         `json:"license"` // a text in old installations, now an object with a name
	Metadata  struct {
		Citation struct {
			Fields []dataverseField `json:"fields"`
		} `json:"citation"`
	} `json:"metadataBlocks"`
}

// dataverseField is a value: a text, a list of texts, or a list of objects with such fields.
type dataverseField struct {
	Name  string          `json:"typeName"`
	Value json.RawMessage `json:"value"`
}

// text returns the value of a simple field.
func (f dataverseField) text() string {
	var text string
	_ = json.Unmarshal(f.Value, &text) // else it isn't one
	return text
}

// groups returns the values of a field with parts, each as texts by name.
func (f dataverseField) groups() []map[string]string {
	var all []map[string]dataverseField
	_ = json.Unmarshal(f.Value, &all) // else it has no parts
	groups := make([]map[string]string, len(all))
	for i, one := range all {
		groups[i] = map[string]string{}
		for name, field := range one {
			groups[i][name] = field.text()
		}
	}
	return groups
}

// dataverseFile is a file of a dataset.
type dataverseFile struct {
	Label      string   `json:"label"`
	Directory  string   `json:"directoryLabel"`
	Restricted bool     `json:"restricted"`
	Dataset    *dataset `json:"datasetVersion"` // where a file is asked for by its own DOI
	Data       struct {
		ID       json.Number `json:"id"`
		Name     string      `json:"filename"`
		Size     int64       `json:"filesize"`
		MD5      string      `json:"md5"`
		Checksum struct {
			Type  string `json:"type"`
			Value string `json:"value"`
		} `json:"checksum"`
		OriginalName   string `json:"originalFileName"`
		OriginalFormat string `json:"originalFileFormat"`
		OriginalSize   *int64 `json:"originalFileSize"`
		Embargo        *struct {
			Until string `json:"dateAvailable"`
		} `json:"embargo"`
	} `json:"dataFile"`
}

// file says how a file is fetched. Tables were rewritten, and the checksum is neither that of the rewritten file nor that of
// the original, which is what people want.
func (f dataverseFile) file(at place, now time.Time) File {
	id := f.Data.ID.String()
	file := File{
		Path: f.Directory + "/" + cmp.Or(f.Label, f.Data.Name), Size: f.Data.Size, URL: at.base + "/api/access/datafile" + segment(id),
		Digest: digestOf(f.Data.Checksum.Type + ":" + f.Data.Checksum.Value), Comparable: true,
	}
	if f.Data.Checksum.Value == "" {
		file.Digest = digestOf("md5:" + f.Data.MD5)
	}
	if f.Data.OriginalFormat != "" || f.Data.OriginalName != "" {
		file.Path = f.Directory + "/" + cmp.Or(f.Data.OriginalName, f.Label, f.Data.Name)
		file.URL, file.Size, file.Comparable = file.URL+"?format=original", -1, false
		file.Note = "The archive has a checksum of another form of this table, so only its size can be compared."
		if f.Data.OriginalSize != nil {
			file.Size = *f.Data.OriginalSize
		}
	}
	switch {
	case f.Restricted:
		file.URL, file.Note = "", "It is restricted: ask for it at the archive."
	case f.Data.Embargo != nil && f.Data.Embargo.Until > now.UTC().Format(time.DateOnly): // one that is over is still said
		file.URL, file.Note = "", "It is under an embargo until "+plain(f.Data.Embargo.Until)+"."
	}
	return file
}

// findDataverse reads a dataset of Dataverse, or a file that has a DOI of its own.
func (r *Records) findDataverse(ctx context.Context, at place, doi string, target *url.URL) (Record, error) {
	// Not all installations know their DOIs in another case, and entries have them in lower case.
	if said := ParseDOI(target.Query().Get("persistentId")); strings.EqualFold(said, doi) {
		doi = said
	}
	asked := url.Values{"persistentId": {"doi:" + doi}}
	var said struct {
		Data dataset `json:"data"`
	}
	err := r.get(ctx, at, "/api/datasets/:persistentId/versions/:latest-published?excludeFiles=true&"+asked.Encode(), &said)
	if isMissing(err) {
		return r.findDataverseFile(ctx, at, doi)
	}
	if err != nil {
		return Record{}, err
	}
	record := said.Data.record(at, doi)
	record.Moves = true
	for offset := 0; ; offset += dataversePage {
		asked.Set("limit", strconv.Itoa(dataversePage))
		asked.Set("offset", strconv.Itoa(offset))
		var page struct {
			Data []dataverseFile `json:"data"`
		}
		if err := r.get(ctx, at, "/api/datasets/:persistentId/versions/:latest-published/files?"+asked.Encode(), &page); err != nil {
			return Record{}, err
		}
		for _, one := range page.Data {
			record.Files = append(record.Files, one.file(at, r.now()))
		}
		switch {
		case len(record.Files) > MostFiles:
			return Record{}, tooMany(at.label)
		case len(page.Data) < dataversePage:
			return record, nil
		}
	}
}

func (r *Records) findDataverseFile(ctx context.Context, at place, doi string) (Record, error) {
	asked := url.Values{"persistentId": {"doi:" + doi}, "returnDatasetVersion": {"true"}}
	var said struct {
		Data dataverseFile `json:"data"`
	}
	if err := r.get(ctx, at, "/api/files/:persistentId?"+asked.Encode(), &said); err != nil {
		return Record{}, err
	}
	record := Record{DOI: doi, Title: plain(said.Data.Label)}
	if within := said.Data.Dataset; within != nil {
		record = within.record(at, doi)
		record.ConceptDOI = ParseDOI(within.DOI)
	}
	record.Files = []File{said.Data.file(at, r.now())}
	return record, nil
}

func (d dataset) record(at place, doi string) Record {
	record := Record{
		DOI: doi, Published: dateOf(cmp.Or(d.Published, d.Released)), URL: at.base + "/dataset.xhtml?persistentId=" + url.QueryEscape("doi:"+doi),
	}
	if d.Major != "" {
		record.Version = plain(d.Major.String() + "." + cmp.Or(d.Minor.String(), "0"))
	}
	switch license := d.License.(type) {
	case string:
		record.License = licenseOf(license)
	case map[string]any:
		name, _ := license["name"].(string)
		record.License = licenseOf(name)
	}
	for _, field := range d.Metadata.Citation.Fields {
		switch field.Name {
		case "title":
			record.Title = plain(field.text())
		case "author":
			for _, one := range field.groups() {
				record.People = append(record.People, Person{plain(one["authorName"]), orcidOf(one["authorIdentifier"]), plain(one["authorAffiliation"])})
			}
		case "dsDescription":
			for _, one := range field.groups() {
				record.Description += one["dsDescriptionValue"] + "\n"
			}
		case "keyword":
			for _, one := range field.groups() {
				record.Keywords = append(record.Keywords, plain(one["keywordValue"]))
			}
		}
	}
	return record
}
