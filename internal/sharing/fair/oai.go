package fair

import (
	"context"
	"encoding/xml"
	"slices"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
)

// The protocol is OAI-PMH 2.0: http://www.openarchives.org/OAI/openarchivesprotocol.html.

const (
	oaiNamespace = "http://www.openarchives.org/OAI/2.0/"
	xsiNamespace = "http://www.w3.org/2001/XMLSchema-instance"
	oaiTime      = "2006-01-02T15:04:05Z" // of datestamps: the finest granularity
	oaiPage      = 100                    // records on a page, which Identify's readers can't choose
)

type (
	oaiAnswer struct {
		XMLName   xml.Name   `xml:"OAI-PMH"`
		Namespace string     `xml:"xmlns,attr"`
		XSI       string     `xml:"xmlns:xsi,attr"`
		Location  string     `xml:"xsi:schemaLocation,attr"`
		Date      string     `xml:"responseDate"`
		Request   oaiRequest `xml:"request"`
		Errors    []oaiError `xml:"error"`

		Identify    *oaiIdentify `xml:"Identify"`
		Formats     *oaiFormats  `xml:"ListMetadataFormats"`
		Sets        *oaiSets     `xml:"ListSets"`
		Identifiers *oaiHeaders  `xml:"ListIdentifiers"`
		Records     *oaiRecords  `xml:"ListRecords"`
		Record      *oaiRecords  `xml:"GetRecord"`
	}
	oaiRequest struct {
		Verb       string `xml:"verb,attr,omitempty"`
		Identifier string `xml:"identifier,attr,omitempty"`
		Prefix     string `xml:"metadataPrefix,attr,omitempty"`
		From       string `xml:"from,attr,omitempty"`
		Until      string `xml:"until,attr,omitempty"`
		Set        string `xml:"set,attr,omitempty"`
		Token      string `xml:"resumptionToken,attr,omitempty"`
		Base       string `xml:",chardata"`
	}
	oaiError struct {
		Code string `xml:"code,attr"`
		Text string `xml:",chardata"`
	}
	oaiIdentify struct {
		Name        string   `xml:"repositoryName"`
		Base        string   `xml:"baseURL"`
		Protocol    string   `xml:"protocolVersion"`
		Email       string   `xml:"adminEmail"`
		Earliest    string   `xml:"earliestDatestamp"`
		Deleted     string   `xml:"deletedRecord"`
		Granularity string   `xml:"granularity"`
		Compression []string `xml:"compression"`
	}
	oaiFormats struct {
		List []oaiFormat `xml:"metadataFormat"`
	}
	oaiFormat struct {
		Prefix    string `xml:"metadataPrefix"`
		Schema    string `xml:"schema"`
		Namespace string `xml:"metadataNamespace"`
	}
	oaiSets struct {
		List []oaiSet `xml:"set"`
	}
	oaiSet struct {
		Spec string `xml:"setSpec"`
		Name string `xml:"setName"`
	}
	oaiHeader struct {
		Status     string `xml:"status,attr,omitempty"`
		Identifier string `xml:"identifier"`
		Stamp      string `xml:"datestamp"`
		Set        string `xml:"setSpec"`
	}
	oaiHeaders struct {
		List  []oaiHeader `xml:"header"`
		Token *oaiToken   `xml:"resumptionToken"`
	}
	oaiRecords struct {
		List  []oaiRecord `xml:"record"`
		Token *oaiToken   `xml:"resumptionToken"`
	}
	oaiRecord struct {
		Header   oaiHeader    `xml:"header"`
		Metadata *oaiMetadata `xml:"metadata"`
	}
	oaiMetadata struct{ Content any }
	oaiToken    struct {
		Cursor int64  `xml:"cursor,attr"`
		Text   string `xml:",chardata"`
	}
)

// oaiForms are the formats of records: oai_dc is the one that the protocol demands.
var oaiForms = []struct {
	oaiFormat

	write func(Record) any
}{
	{
		oaiFormat{"oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd", "http://www.openarchives.org/OAI/2.0/oai_dc/"},
		func(r Record) any { return dublinCoreOf(r) },
	},
	{
		oaiFormat{"oai_datacite", "http://schema.datacite.org/oai/oai-1.1/oai.xsd", "http://schema.datacite.org/oai/oai-1.1/"},
		func(r Record) any { return oaiDataCiteOf(r) },
	},
}

// oaiSetOf returns the OAI set of entries of a type; there is one for each.
func oaiSetOf(kind catalog.Type) string { return kind.Plural() }

// oaiArguments are the arguments that each verb takes; true for those that it needs.
var oaiArguments = map[string]map[string]bool{
	"Identify": {}, "ListSets": {"resumptionToken": false}, "ListMetadataFormats": {"identifier": false},
	"GetRecord":       {"identifier": true, "metadataPrefix": true},
	"ListIdentifiers": {"metadataPrefix": true, "from": false, "until": false, "set": false, "resumptionToken": false},
	"ListRecords":     {"metadataPrefix": true, "from": false, "until": false, "set": false, "resumptionToken": false},
}

// harvest answers a request of a harvester; an error is trouble of this server.
func (s *Service) harvest(ctx context.Context, arguments map[string][]string) (oaiAnswer, error) {
	site := s.options.Site()
	base := site.Public + "/oai"
	answer := oaiAnswer{
		Namespace: oaiNamespace, XSI: xsiNamespace, Location: oaiNamespace + " http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd",
		Date: s.options.Now().UTC().Format(oaiTime), Request: oaiRequest{Base: base},
	}
	oaiError := func(code, text string) (oaiAnswer, error) {
		answer.Errors = append(answer.Errors, oaiError{code, text})
		if code == "badVerb" || code == "badArgument" {
			answer.Request = oaiRequest{Base: base} // the protocol wants no attributes then
		}
		return answer, nil
	}
	values, repeated := map[string]string{}, false
	for name, list := range arguments {
		values[name], repeated = list[0], repeated || len(list) > 1
	}
	verb := values["verb"]
	takes, known := oaiArguments[verb]
	switch {
	case len(arguments["verb"]) > 1, !known:
		return oaiError("badVerb", "Name one verb: Identify, ListMetadataFormats, ListSets, ListIdentifiers, ListRecords or GetRecord.")
	case repeated:
		return oaiError("badArgument", "An argument is given more than once.")
	}
	for name := range values {
		if _, ok := takes[name]; !ok && name != "verb" {
			return oaiError("badArgument", verb+" doesn't take the argument "+clean(name)+".")
		}
	}
	_, resumed := values["resumptionToken"]
	if resumed && len(values) > 2 {
		return oaiError("badArgument", "A resumptionToken can't be combined with other arguments.")
	}
	for name, needed := range takes {
		if _, given := values[name]; needed && !given && !resumed {
			return oaiError("badArgument", verb+" needs the argument "+name+".")
		}
	}
	answer.Request = oaiRequest{
		Verb: verb, Identifier: clean(values["identifier"]), Prefix: clean(values["metadataPrefix"]), From: clean(values["from"]), Until: clean(values["until"]),
		Set: clean(values["set"]), Token: clean(values["resumptionToken"]), Base: base,
	}
	switch verb {
	case "Identify":
		earliest, err := s.options.Appearances.EarliestAppearance(ctx)
		answer.Identify = &oaiIdentify{
			site.Product, base, "2.0", s.options.AdminEmail, earliest.UTC().Format(oaiTime), "persistent", "YYYY-MM-DDThh:mm:ssZ", []string{"gzip"},
		}
		return answer, err
	case "ListSets":
		if resumed {
			return oaiError("badResumptionToken", "The list of sets has one page, so there is no such token.")
		}
		answer.Sets = &oaiSets{}
		for _, kind := range catalog.Types {
			answer.Sets.List = append(answer.Sets.List, oaiSet{oaiSetOf(kind), strings.ToUpper(oaiSetOf(kind)[:1]) + oaiSetOf(kind)[1:]})
		}
		return answer, nil
	case "ListMetadataFormats":
		if name, given := values["identifier"]; given {
			if _, there, err := s.appearanceNamed(ctx, name); err != nil || !there {
				if err != nil {
					return answer, err
				}
				return oaiError("idDoesNotExist", "No record has this identifier.")
			}
		}
		answer.Formats = &oaiFormats{}
		for _, one := range oaiForms {
			answer.Formats.List = append(answer.Formats.List, one.oaiFormat)
		}
		return answer, nil
	case "GetRecord":
		return s.harvestOne(ctx, values, answer, oaiError)
	}
	return s.harvestList(ctx, values, resumed, answer, oaiError)
}

// clean takes out what XML can't have.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff || r == 0xfffd {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

func (s *Service) oaiPrefix() string {
	host := strings.TrimPrefix(strings.TrimPrefix(s.options.Site().Public, "https://"), "http://")
	host, _, _ = strings.Cut(host, "/")
	host, _, _ = strings.Cut(host, ":") // the id has a port nowhere
	return "oai:" + host + ":"
}

func (s *Service) appearanceNamed(ctx context.Context, identifier string) (catalog.Appearance, bool, error) {
	id, ok := strings.CutPrefix(identifier, s.oaiPrefix())
	if !ok {
		return catalog.Appearance{}, false, nil
	}
	return s.options.Appearances.AppearanceOf(ctx, id)
}

func (s *Service) headerOf(one catalog.Appearance) oaiHeader {
	header := oaiHeader{Identifier: s.oaiPrefix() + one.ID, Stamp: one.Stamp.UTC().Format(oaiTime), Set: oaiSetOf(one.Type)}
	if one.Deleted {
		header.Status = "deleted"
	}
	return header
}

// recordsOf returns records in the order of appearances. An entry that has disappeared meanwhile is a deleted one.
func (s *Service) recordsOf(ctx context.Context, list []catalog.Appearance, write func(Record) any) ([]oaiRecord, error) {
	var ids []string
	for _, one := range list {
		if !one.Deleted {
			ids = append(ids, one.ID)
		}
	}
	entries, err := s.options.Entries.LoadAny(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := map[string]catalog.Entry{}
	for _, entry := range entries {
		if entry.Public() {
			byID[entry.ID] = entry
		}
	}
	site, now := s.options.Site(), s.options.Now()
	records := make([]oaiRecord, len(list))
	for i, one := range list {
		entry, public := byID[one.ID]
		one.Deleted = !public
		records[i].Header = s.headerOf(one)
		if public {
			records[i].Metadata = &oaiMetadata{write(recordOf(entry, site, now))}
		}
	}
	return records, nil
}

type oaiErrorFunc func(code, text string) (oaiAnswer, error)

func (s *Service) harvestOne(ctx context.Context, values map[string]string, answer oaiAnswer, oaiError oaiErrorFunc) (oaiAnswer, error) {
	one, there, err := s.appearanceNamed(ctx, values["identifier"])
	switch {
	case err != nil:
		return answer, err
	case !there:
		return oaiError("idDoesNotExist", "No record has this identifier.")
	}
	form := oaiFormNamed(values["metadataPrefix"])
	if form == nil {
		return oaiError("cannotDisseminateFormat", noSuchFormat)
	}
	records, err := s.recordsOf(ctx, []catalog.Appearance{one}, form)
	answer.Record = &oaiRecords{List: records}
	return answer, err
}

const noSuchFormat = "Records are in oai_dc and oai_datacite."

func oaiFormNamed(prefix string) func(Record) any {
	for _, one := range oaiForms {
		if one.Prefix == prefix {
			return one.write
		}
	}
	return nil
}

func (s *Service) harvestList(ctx context.Context, values map[string]string, resumed bool, answer oaiAnswer, oaiError oaiErrorFunc) (oaiAnswer, error) {
	place := oaiPlace{Verb: values["verb"], Prefix: values["metadataPrefix"], Set: values["set"], From: values["from"], Until: values["until"]}
	if resumed {
		var ok bool
		if place, ok = readPlace(values["resumptionToken"], s.options.Site().Public); !ok || place.Verb != values["verb"] {
			return oaiError("badResumptionToken", "This token isn't one of this list. Tokens don't expire: start again without one.")
		}
	}
	query, code, text := place.query()
	form := oaiFormNamed(place.Prefix)
	switch {
	case code != "":
		return oaiError(code, text)
	case form == nil:
		return oaiError("cannotDisseminateFormat", noSuchFormat)
	}
	// Harvesters ask for what is later than the last answer next time, so its date may not be later than what it has.
	settled, err := s.options.Appearances.Settled(ctx)
	if err != nil {
		return answer, err
	}
	answer.Date = settled.Format(oaiTime)
	query.Limit = oaiPage + 1
	list, err := s.options.Appearances.Appearances(ctx, query)
	if err != nil {
		return answer, err
	}
	if len(list) == 0 && !resumed {
		return oaiError("noRecordsMatch", "No record appeared, changed or disappeared in this time and set.")
	}
	var token *oaiToken
	if resumed || len(list) > oaiPage {
		token = &oaiToken{Cursor: place.Cursor}
	}
	if len(list) > oaiPage {
		list = list[:oaiPage]
		last := list[oaiPage-1]
		place.Stamp, place.ID, place.Cursor = last.Stamp.UnixMicro(), last.ID, place.Cursor+oaiPage
		token.Text = place.token(s.options.Site().Public)
	}
	if place.Verb == "ListRecords" {
		records, err := s.recordsOf(ctx, list, form)
		answer.Records = &oaiRecords{List: records, Token: token}
		return answer, err
	}
	answer.Identifiers = &oaiHeaders{Token: token}
	for _, one := range list {
		answer.Identifiers.List = append(answer.Identifiers.List, s.headerOf(one))
	}
	return answer, nil
}

// setNamed returns the type of a set; "" for all.
func setNamed(name string) (catalog.Type, bool) {
	at := slices.IndexFunc(catalog.Types[:], func(kind catalog.Type) bool { return oaiSetOf(kind) == name })
	if at < 0 {
		return "", name == ""
	}
	return catalog.Types[at], true
}

// oaiDay is the other granularity, in which a request may name days.
const oaiDay = time.DateOnly

// moment reads a date of a request; days end with their last microsecond.
func moment(text string, end bool) (at time.Time, granularity string, ok bool) {
	if at, err := time.Parse(oaiTime, text); err == nil {
		if end {
			at = at.Add(time.Second - time.Microsecond)
		}
		return at, oaiTime, true
	}
	at, err := time.Parse(oaiDay, text)
	if err == nil && end {
		at = at.Add(24*time.Hour - time.Microsecond)
	}
	return at, oaiDay, err == nil
}
