package catalog

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// ListLimit is how many awards, and how many related identifiers, an entry may name.
const ListLimit = 50

// Funding is an award that paid for what an entry describes, in DataCite's words.
type Funding struct {
	Funder      string `json:"funder" doc:"Its name" example:"European Research Council"`
	FunderID    string `json:"funderId,omitempty" doc:"An address at ror.org, or one at doi.org from the Crossref Funder Registry" example:"https://ror.org/0472cxd90"`
	AwardNumber string `json:"awardNumber,omitempty" example:"282703"`
	AwardTitle  string `json:"awardTitle,omitempty"`
	AwardURL    string `json:"awardUrl,omitempty"`
}

// RelatedIdentifier names something that has to do with an entry, and how, in DataCite's words.
type RelatedIdentifier struct {
	Identifier string `json:"identifier" example:"10.5281/zenodo.1234"`
	Type       string `json:"type" doc:"DataCite's relatedIdentifierType" example:"DOI"`
	Relation   string `json:"relation" doc:"DataCite's relationType: what the entry is to the other thing" example:"IsSupplementTo"`
}

// resolvers lead to what has identifiers of a type.
var resolvers = map[string]string{
	"DOI": "https://doi.org/", "URL": "", "arXiv": "https://arxiv.org/abs/", "Handle": "https://hdl.handle.net/", "PMID": "https://pubmed.ncbi.nlm.nih.gov/",
	"SWHID": "https://archive.softwareheritage.org/",
}

// Address returns where the related thing is; "" unless that is known.
func (r RelatedIdentifier) Address() string {
	resolver, known := resolvers[r.Type]
	if !known {
		return ""
	}
	return resolver + strings.TrimPrefix(strings.TrimPrefix(r.Identifier, "arXiv:"), "arxiv:")
}

// IdentifierTypes are the types of related identifiers, in the order in which forms offer them.
var IdentifierTypes = [...]string{"DOI", "URL", "arXiv", "Handle", "ISBN", "ISSN", "PMID", "RRID", "SWHID", "URN"}

// Relations are DataCite's relation types, in the order in which forms offer them.
var Relations = [...]string{
	"IsSupplementTo", "IsSupplementedBy", "IsDocumentedBy", "Documents", "IsDescribedBy", "Describes", "Cites", "IsCitedBy", "References",
	"IsReferencedBy", "IsDerivedFrom", "IsSourceOf", "IsPartOf", "HasPart", "IsVersionOf", "HasVersion", "IsNewVersionOf", "IsPreviousVersionOf",
	"IsVariantFormOf", "IsOriginalFormOf", "IsIdenticalTo", "Requires", "IsRequiredBy", "Continues", "IsContinuedBy", "Compiles", "IsCompiledBy",
	"Reviews", "IsReviewedBy", "Obsoletes", "IsObsoletedBy", "Collects", "IsCollectedBy", "IsPublishedIn", "HasMetadata", "IsMetadataFor",
	"HasTranslation", "IsTranslationOf",
}

// PermanentPath is the path of an entry's permanent address, which stays when its page moves.
func PermanentPath(id string) string { return "/id/" + id }

// issued is when an entry was public first, as a new one is written: it may say so, for it may come from elsewhere.
func (r Entry) issued(written time.Time) time.Time {
	switch {
	case r.IssuedAt != nil:
		return *r.IssuedAt
	case r.Privacy != PrivacyPublic:
		return time.Time{}
	case !r.CreatedAt.IsZero():
		return r.CreatedAt
	}
	return written
}

// Creators are the people who are cited for an entry: its authors, in their order.
func (r Entry) Creators() []Credit {
	return slices.DeleteFunc(slices.Clone(r.People), func(p Credit) bool { return p.Role != "" })
}

// Contributors are the other people who are credited.
func (r Entry) Contributors() []Credit {
	return slices.DeleteFunc(slices.Clone(r.People), func(p Credit) bool { return p.Role == "" })
}

// normalizePublication writes identifiers as they are stored, and takes empty rows off. What isn't valid stays as it was
// written, for the sentence about it.
func (r *Entry) normalizePublication() {
	people := make([]Credit, len(r.People))
	for i, p := range r.People {
		p.Name, p.Email, p.ORCID = strings.TrimSpace(p.Name), identity.NormalizeEmail(p.Email), parsed(ParseORCID, p.ORCID)
		p.ID = ""
		if p.Role == "Author" {
			p.Role = ""
		}
		if p.Affiliation != nil {
			at := Organization{strings.TrimSpace(p.Affiliation.Name), parsed(ParseROR, p.Affiliation.ROR)}
			if p.Affiliation = &at; at == (Organization{}) {
				p.Affiliation = nil
			}
		}
		people[i] = p
	}
	if r.People != nil {
		r.People = people
	}
	var funding []Funding
	for _, f := range r.Funding {
		f.Funder, f.AwardNumber, f.AwardTitle = strings.TrimSpace(f.Funder), strings.TrimSpace(f.AwardNumber), strings.TrimSpace(f.AwardTitle)
		f.FunderID, f.AwardURL = parsed(ParseFunderID, f.FunderID), strings.TrimSpace(f.AwardURL)
		if f != (Funding{}) {
			funding = append(funding, f)
		}
	}
	var related []RelatedIdentifier
	for _, one := range r.RelatedIdentifiers {
		if one.Identifier = strings.TrimSpace(one.Identifier); one.Type == "DOI" {
			one.Identifier = parsed(ParseDOI, one.Identifier)
		}
		if one.Identifier != "" && !slices.Contains(related, one) {
			related = append(related, one)
		}
	}
	r.Funding, r.RelatedIdentifiers = funding, related
	r.Language, r.DOI, r.License = parsed(ParseLanguage, r.Language), parsed(ParseDOI, r.DOI), parsed(ParseKnownLicense, r.License)
}

// parsed is what a rule makes of a text, or the text without blanks around it where the rule makes nothing of it.
func parsed(parse func(string) string, text string) string {
	text = strings.TrimSpace(text)
	if found := parse(text); found != "" {
		return found
	}
	return text
}

// CheckCited checks version, language, dates, funding and related identifiers.
func (r Entry) CheckCited() []fault.Field {
	var faults []fault.Field
	add := func(wrong bool, location, message string) {
		if wrong {
			faults = append(faults, fault.Field{Location: location, Message: message})
		}
	}
	add(tooLong(r.Version, NameLimit), "version", "can have at most 200 characters, on one line")
	add(r.Language != "" && ParseLanguage(r.Language) == "", "language", fault.Quote(r.Language)+" isn't a language tag, such as en, de or pt-BR")
	add(r.IssuedAt != nil && r.IssuedAt.After(time.Now().Add(24*time.Hour)), "issuedAt", "is in the future")
	add(r.IssuedAt != nil && r.IssuedAt.Year() < 1900, "issuedAt", "is before 1900")
	add(len(r.Funding) > ListLimit, "funding", "can't name more than 50 awards")
	for i, f := range r.Funding[:min(len(r.Funding), ListLimit)] {
		at := fmt.Sprintf("funding[%d].", i)
		add(CheckName(f.Funder) != "", at+"funder", "the funder's name "+CheckName(f.Funder))
		add(f.FunderID != "" && ParseFunderID(f.FunderID) != f.FunderID, at+"funderId", fault.Quote(f.FunderID)+
			" isn't the identifier of a funder, such as https://ror.org/0472cxd90 or https://doi.org/10.13039/501100000781")
		add(tooLong(f.AwardNumber, 100), at+"awardNumber", "can have at most 100 characters, on one line")
		add(tooLong(f.AwardTitle, NameLimit), at+"awardTitle", "can have at most 200 characters, on one line")
		add(f.AwardURL != "" && !validWeb(f.AwardURL), at+"awardUrl", fault.Quote(f.AwardURL)+" isn't an address that begins with https://")
	}
	add(len(r.RelatedIdentifiers) > ListLimit, "relatedIdentifiers", "can't be more than 50")
	for i, one := range r.RelatedIdentifiers[:min(len(r.RelatedIdentifiers), ListLimit)] {
		at := fmt.Sprintf("relatedIdentifiers[%d].", i)
		add(!slices.Contains(IdentifierTypes[:], one.Type), at+"type", fault.Quote(one.Type)+" isn't a type of identifier; the types are "+names(IdentifierTypes[:]))
		add(!slices.Contains(Relations[:], one.Relation), at+"relation", fault.Quote(one.Relation)+" isn't one of DataCite's relations, such as IsSupplementTo or Cites")
		switch {
		case tooLong(one.Identifier, addressLimit):
			add(true, at+"identifier", "can have at most 2,000 characters, on one line")
		case one.Type == "DOI":
			add(ParseDOI(one.Identifier) != one.Identifier, at+"identifier", fault.Quote(one.Identifier)+" isn't a DOI, such as 10.5281/zenodo.1234")
		case one.Type == "URL":
			add(!validWeb(one.Identifier), at+"identifier", fault.Quote(one.Identifier)+" isn't an address that begins with https:// or http://")
		}
	}
	return faults
}

func tooLong(text string, limit int) bool {
	return utf8.RuneCountInString(text) > limit || !ValidText(text, false)
}

func validWeb(address string) bool {
	parsed, ok := ParseAddress(address)
	return ok && (parsed.Scheme == "https" || parsed.Scheme == "http") && len(address) <= addressLimit
}
