package jupyterhub

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// Options configure the engine. Zero times mean the defaults.
type Options struct {
	URL      string // where the hub's proxy answers, with the hub's base path if it has one
	Token    string // of our service on the hub
	Catalog  string // which catalog this is among those that use the hub, such as its address
	DataRoot string // the folder on this machine with the datasets that the hub also has; "" when there is none
	Records  engine.Records
	Limits   Limits // of each session
	Logger   *slog.Logger
	Now      func() time.Time

	// What sessions have beside Jupyter, where the hub's hook can start it.
	VSCode           string // the path of a code-server where they run; "": none
	ExtensionGallery bool   // people can install extensions of VS Code from the gallery of its program
	SSH              bool

	Temporary string // the folder where private repositories are cloned before they are sent to the hub; "": that of the system

	Descriptors []string // names of the file in a repository that may list packages; default cairn.yml

	WatchEvery    time.Duration // between two looks at all servers of the hub; longer if the hub takes long to answer
	ActivityEvery time.Duration // between two looks into each running server
	Lease         time.Duration // how long one of our servers may be silent before another takes over
	TakeOverEvery time.Duration // between two checks for work that another of our servers left unfinished
	LaunchTimeout time.Duration // how long a launch may go on without progress; signatures for the hub are valid longer
	CallTime      time.Duration // limits one call to the hub, which may wait 10 s for a server by default
}

// If a server is killed in the middle of a launch, another takes over within the sum of these two: five seconds.
const (
	lease         = 3 * time.Second
	takeOverEvery = 2 * time.Second
)

// complete checks the options and sets the defaults.
func (o Options) complete() (Options, *url.URL, error) {
	address, err := url.Parse(strings.TrimSuffix(o.URL, "/"))
	if err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https") {
		return o, nil, fault.New(fault.Invalid, "The address of the hub must look like https://hub.example.org.")
	}
	if o.Token == "" {
		return o, nil, fault.New(fault.Invalid, "The hub needs the token of the service that this server is.")
	}
	for _, one := range []struct {
		set      *time.Duration
		standard time.Duration
	}{
		{&o.WatchEvery, 2 * time.Second}, {&o.ActivityEvery, 30 * time.Second}, {&o.Lease, lease}, {&o.TakeOverEvery, takeOverEvery}, {&o.CallTime, 15 * time.Second},
	} {
		if *one.set == 0 {
			*one.set = one.standard
		}
	}
	if len(o.Descriptors) == 0 {
		o.Descriptors = []string{"cairn.yml"}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, address, nil
}

// newTransport pools connections to the hub's proxy, which all sessions share.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConns: 256, MaxIdleConnsPerHost: 256, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: 10 * time.Second, DisableCompression: true,
	}
}
