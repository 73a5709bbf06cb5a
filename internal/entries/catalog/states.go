package catalog

// Status is what operators say about an entry.
type Status string

// The values of status. PENDING is there for existing clients: nothing sets it.
const (
	StatusNone     Status = "NONE"
	StatusVerified Status = "VERIFIED" // operators have looked at it
	StatusRejected Status = "REJECTED" // operators advise against it
)

// Privacy says who sees an entry.
type Privacy string

// The values of privacy.
const (
	PrivacyPublic  Privacy = "PUBLIC"  // everybody
	PrivacyPrivate Privacy = "PRIVATE" // its authors
)

// Audience says who sees a private entry besides its authors, or instead of them.
type Audience string

// The values of audience.
const (
	AudienceAuthors Audience = ""     // its authors
	AudienceHost    Audience = "host" // those who can read its repository at the code host now, and only they
)

// State of an entry. Deleted ones stay for projects and history and are never shown.
const (
	StateActive  = "ACTIVE"
	StateDeleted = "DELETED"
)
