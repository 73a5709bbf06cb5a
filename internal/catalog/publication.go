package catalog

import (
	"encoding/json"
	"slices"
	"time"
)

// Role says what somebody did for an entry. Authors have none; the others are DataCite's types of contributors.
type Role string

// Roles are all roles, in the order in which forms offer them. The first one is the author's.
var Roles = [...]Role{
	"", "ContactPerson", "DataCollector", "DataCurator", "DataManager", "Editor", "Producer", "ProjectLeader", "ProjectMember", "Researcher",
	"RightsHolder", "Supervisor", "Other",
}

// Organization is somewhere that people work, or that publishes.
type Organization struct {
	Name string `json:"name"`
	ROR  string `json:"ror" doc:"As in https://ror.org/05a28rw58; empty if unknown"`
}

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
func (r Resource) issued(written time.Time) time.Time {
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

// storedList is a column of a JSON list: "" if the list is empty.
func storedList[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // plain texts
	}
	return string(text)
}

func loadList[T any](stored string) (list []T, err error) {
	if stored != "" {
		err = json.Unmarshal([]byte(stored), &list)
	}
	return list, err
}

// Creators are the people who are cited for an entry: its authors, in their order.
func (r Resource) Creators() []Credit {
	return slices.DeleteFunc(slices.Clone(r.People), func(p Credit) bool { return p.Role != "" })
}

// Contributors are the other people who are credited.
func (r Resource) Contributors() []Credit {
	return slices.DeleteFunc(slices.Clone(r.People), func(p Credit) bool { return p.Role == "" })
}
