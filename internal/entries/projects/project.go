package projects

import (
	"strconv"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Project is one repository with datasets.
type Project struct {
	ID                 string             `json:"id" format:"uuid"`
	Name               string             `json:"name"`
	OwnerID            string             `json:"ownerId" doc:"The owner's e-mail address in lower case"`
	RepositoryResource catalog.Resource   `json:"repositoryResource"`
	DatasetResources   []catalog.Resource `json:"datasetResources"`
	CreatedAt          time.Time          `json:"createdAt"`
	UpdatedAt          time.Time          `json:"updatedAt"`
	State              string             `json:"state" enum:"ACTIVE,DELETED"`
	Published          bool               `json:"published" doc:"Everyone sees it at its entries and may start sessions from it"`
	Available          bool               `json:"available" doc:"False when a part is gone or hidden from the caller"`
	Role               Role               `json:"role,omitempty" enum:"owner,editor,viewer" doc:"The caller's; absent for others who see it because it's published"`
	OfferedTo          string             `json:"offeredTo,omitempty" doc:"The e-mail address of the person to whom its owner offers it; shown to both"`
}

// Role is what somebody may do with a project.
type Role string

// The roles.
const (
	Owner  Role = "owner"  // everything
	Editor Role = "editor" // changes its name and datasets, and starts it
	Viewer Role = "viewer" // sees and starts it
)

// Member is somebody other than the owner who may see a project.
type Member struct {
	Email string    `json:"email" doc:"In lower case"`
	Role  Role      `json:"role" enum:"editor,viewer"`
	Since time.Time `json:"since"`
}

// OwnedBy reports whether a project belongs to an e-mail.
func (p Project) OwnedBy(email string) bool { return email != "" && p.OwnerID == email }

// roleOf returns the role of an e-mail that has this one as a member; "" for none.
func (p Project) roleOf(email string, asMember Role) Role {
	if p.OwnedBy(email) {
		return Owner
	}
	return asMember
}

// visibleTo reports whether the caller, whose role is known, may see the project: with a role, as the one to whom it is offered, and
// everybody once it is published.
func (p Project) visibleTo(email string) bool {
	return p.State == catalog.StateActive && (p.Published || p.Role != "" || email != "" && p.OfferedTo == email)
}

// DatasetsLimit is the maximum number of datasets in a project.
const DatasetsLimit = 100

// Draft is the input for a new project. Its schema requires nothing, so that one answer names every fault.
type Draft struct {
	ExternalID   string    `json:"-"` // set by an import, like the next two
	ID           string    `json:"-"`
	CreatedAt    time.Time `json:"-"`
	Members      []Member  `json:"-"`
	Name         string    `json:"name,omitempty" doc:"1 to 200 characters on one line; private to the owner unless published"`
	OwnerEmail   string    `json:"ownerId,omitempty" doc:"The caller's e-mail address, as without it; another's is refused"`
	RepositoryID string    `json:"repositoryId,omitempty"`
	DatasetIDs   []string  `json:"datasetIds,omitempty" doc:"100 at most, each counts once"`
	Published    bool      `json:"published,omitempty" doc:"Everyone sees it at its entries and may start sessions from it; its parts must be public"`
}

// Change is the input for an edit of a project; what is nil stays as it is.
type Change struct {
	Name       *string  `json:"name,omitempty" doc:"1 to 200 characters on one line"`
	DatasetIDs []string `json:"datasetIds,omitempty" doc:"All datasets from now on, 100 at most, each counts once; [] for none"`
	Published  *bool    `json:"published,omitempty" doc:"For its owner alone. Everyone sees it at its entries and may start sessions from it; its parts must be public"`

	UpdatedAt time.Time `json:"updatedAt,omitzero" doc:"updatedAt of the project that the change is made on: 409 if it has changed since. Without it the last change wins"`
}

// Check returns every fault of a draft that can be found without the store.
func (d Draft) Check() []fault.Field {
	var faults []fault.Field
	if message := catalog.CheckName(d.Name); message != "" {
		faults = append(faults, fault.Field{Location: "name", Message: message})
	}
	if !identity.ValidEmail(d.OwnerEmail) {
		faults = append(faults, fault.Field{Location: "ownerId", Message: "must be an e-mail address"})
	}
	for i, member := range d.Members {
		if !identity.ValidEmail(member.Email) || member.Email == d.OwnerEmail || member.Role != Editor && member.Role != Viewer {
			faults = append(faults, fault.Field{Location: "members[" + strconv.Itoa(i) + "]", Message: "must have the e-mail address of somebody other than the owner, and the role editor or viewer"})
		}
	}
	if len(d.DatasetIDs) > DatasetsLimit {
		faults = append(faults, fault.Field{Location: "datasetIds", Message: "can't be more than 100"})
	}
	return faults
}
