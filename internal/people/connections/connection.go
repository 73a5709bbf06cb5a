package connections

import (
	"context"
	"net/http"
	"time"

	"cairn/internal/foundation/fault"

	"golang.org/x/oauth2"
)

// Right is something that a connection lets this server do at a service.
type Right string

// The rights.
const (
	RightIdentity Right = "identity" // see who the person is there
	RightRead     Right = "read"     // read what the person can read
	RightWrite    Right = "write"    // change what the person can change
	RightAll      Right = "all"      // everything that the person may do
	RightUnknown  Right = "unknown"  // the service doesn't say what else
)

// Granted is what a service says about a token.
type Granted struct {
	Login  string   // whose it is there; "" if the service doesn't say
	Rights []Right  // in the order of the constants
	Scopes []string // in the words of the service; nil if it doesn't say
}

// Service is what differs between the kinds of services.
type Service interface {
	// Look returns what a token may really do, by asking the service. Invalid if the service refuses it.
	Look(ctx context.Context, token string) (Granted, error)
	// Revoke ends a token that the service issued through OAuth. done is false if the service has no call for that.
	Revoke(ctx context.Context, token string) (done bool, err error)
}

// Host is a service with which accounts are connected.
type Host struct {
	Service

	Name      string // in calls and in the table; unique
	Label     string // what people call it
	Kind      string
	URL       string   // of its pages
	TokenURL  string   // where people make a personal token; "" if that isn't known
	GrantsURL string   // where people take back what they granted; "" if that isn't known
	Scopes    []string // that a personal token needs, in the words of the service

	OAuth  *oauth2.Config // nil: personal tokens alone
	Client *http.Client   // for OAuth
}

// Connection is an account at a service, as its owner sees it.
type Connection struct {
	Host      string     `json:"host" doc:"The name of the service"`
	Account   string     `json:"account" doc:"Whose account it is there; empty if the service doesn't say"`
	Granted   []Right    `json:"granted" nullable:"false" enum:"identity,read,write,all,unknown" doc:"What this server may really do there. all: everything that the person may; unknown: the service doesn't say what else"`
	Scopes    []string   `json:"scopes" nullable:"false" doc:"The same in the words of the service, if it says it"`
	Way       Way        `json:"way" enum:"oauth,token"`
	CreatedAt time.Time  `json:"createdAt"`
	KeptAt    *time.Time `json:"keptAt" nullable:"true" doc:"null until it is kept; ten minutes after createdAt it's forgotten"`
	Problem   Problem    `json:"problem,omitempty" enum:"key_missing,refused" doc:"Why it has to be connected again. key_missing: this server can no longer read what it stored; refused: the service no longer accepts it"`
}

// Way is how an account was connected.
type Way string

// The ways.
const (
	WayOAuth Way = "oauth" // the person was sent to the service
	WayToken Way = "token" // the person pasted a token
)

// Problem is why a connection can't be used.
type Problem string

// The problems.
const (
	ProblemKey     Problem = "key_missing"
	ProblemRefused Problem = "refused"
)

// ConnectedHost is a service, with the caller's connection to it.
type ConnectedHost struct {
	Host       string      `json:"host" doc:"Its name in calls" example:"gitlab"`
	Label      string      `json:"label" doc:"What people call it" example:"GitLab"`
	Kind       string      `json:"kind" example:"gitlab"`
	URL        string      `json:"url" format:"uri"`
	OAuth      bool        `json:"oauth" doc:"People can be sent there to connect their account"`
	TokenURL   string      `json:"tokenUrl,omitempty" doc:"Where people make a personal token there"`
	Scopes     []string    `json:"scopes" nullable:"false" doc:"What a personal token needs, in the words of the service"`
	GrantsURL  string      `json:"grantsUrl,omitempty" doc:"Where people take back there what they granted"`
	Connection *Connection `json:"connection,omitempty" doc:"The caller's; absent without one"`
	Waiting    *Connection `json:"waiting,omitempty" doc:"One that the caller hasn't kept yet"`
}

const (
	waitingTime = 10 * time.Minute // in which a connection is kept, or forgotten
	attemptTime = 10 * time.Minute // in which a browser comes back
	leeway      = time.Minute      // before a token expires, a new one is fetched
	askTime     = 15 * time.Second // for a question to a service
	tokenLength = 4_096            // bytes of a token
	refusedMost = 20               // tokens that an account may paste in an hour and that are refused
)

// errNotConnected is the fault for an account without a connection.
func errNotConnected(label string) error {
	return fault.New(fault.NotConnected, "Your account isn't connected with %s. Connect it in your account's settings.", label)
}

// errAgain is the fault for a connection that can't be used any more.
func errAgain(label string) error {
	return fault.New(fault.NotConnected, "Your connection with %s no longer works. Connect it again in your account's settings.", label)
}
