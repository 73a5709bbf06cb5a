package config

import (
	"cmp"
	"io"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"

	"cairn/internal/content/preview"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/humanize"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/engine/localjupyter"

	"go.yaml.in/yaml/v3"
	"golang.org/x/time/rate"
)

// Config holds everything that operators can set: in a YAML file, by environment variables (CAIRN_ and the path of the
// key in capitals, with underscores), and partly by flags; the later ones win. Keys tagged secret may also be given as
// the path of a file, in a variable that ends in _FILE. docs/configure.md explains each.
type Config struct {
	Listen         string   `yaml:"listen"`
	SessionListen  string   `yaml:"session_listen"`
	PublicURL      string   `yaml:"public_url"`
	SessionURL     string   `yaml:"session_url"`
	SharedSessions bool     `yaml:"session_url_shared"`
	Data           string   `yaml:"data"`
	DatabaseURL    string   `yaml:"database_url" secret:"true"`
	Site           string   `yaml:"site"`
	Demo           bool     `yaml:"demo"`
	TLS            TLS      `yaml:"tls"`
	IDP            IDP      `yaml:"idp"`
	OIDC           OIDC     `yaml:"oidc"`
	Accounts       Accounts `yaml:"accounts"`
	Sessions       Sessions `yaml:"sessions"`
	Datasets       Datasets `yaml:"datasets"`
	DataCite       DataCite `yaml:"datacite"`
	Outgoing       Outgoing `yaml:"outgoing"`
	Descriptor     Names    `yaml:"descriptor"`
	Workflow       Workflow `yaml:"workflow"`
	CORS           Origins  `yaml:"cors"`
	TrustedProxies []string `yaml:"trusted_proxies"`
	Hosts          []string `yaml:"hosts"`
	Limits         Limits   `yaml:"limits"`
	Disk           Disk     `yaml:"disk"`
	Shutdown       Shutdown `yaml:"shutdown"`
	Audit          Audit    `yaml:"audit"`
	Runs           Runs     `yaml:"runs"`
	Jobs           Jobs     `yaml:"jobs"`
	OAI            OAI      `yaml:"oai"`
	Log            Log      `yaml:"log"`
	Metrics        Metrics  `yaml:"metrics"`
	Reading        Reading  `yaml:"-"`

	Together Together    `yaml:",inline"`
	Code     CodeHosting `yaml:",inline"`
	Keeping  Keeping     `yaml:",inline"`
}

// Together says what people may do with each other's help.
type Together struct {
	Sharing   Sharing   `yaml:"sharing"`
	Workshops Workshops `yaml:"workshops"`
}

// Reading is what is known of a configuration besides what is in its file.
type Reading struct {
	DemoAnywhere bool // only a flag: nobody should leave it behind in a file

	faults []string // of reading it; Check reports them with the rest
	whole  bool     // the whole file couldn't be read, so there is nothing to say of the rest
}

// IDP configures the embedded identity provider.
type IDP struct {
	Accounts []IDPAccount `yaml:"accounts"`
	Clients  []IDPClient  `yaml:"clients"`
}

// IDPClient is another front end that may sign people in at the embedded identity provider.
type IDPClient struct {
	ClientID     string   `yaml:"client_id"`
	Name         string   `yaml:"name"` // "": the host of its pages
	RedirectURIs []string `yaml:"redirect_uris"`
	Origins      []string `yaml:"origins"`
}

// IDPAccount is an account that may sign in at the embedded identity provider.
type IDPAccount struct {
	Email        string `yaml:"email"`
	Name         string `yaml:"name"`
	PasswordHash string `yaml:"password_hash"`
}

// OIDC says where people sign in.
type OIDC struct {
	Issuer          string            `yaml:"issuer"` // empty: the embedded provider
	ClientID        string            `yaml:"client_id"`
	Audience        string            `yaml:"audience"`
	Scope           string            `yaml:"scope"`
	Prompt          string            `yaml:"prompt"`
	ExtraParams     map[string]string `yaml:"extra_params"`
	InstitutionHint Hint              `yaml:"institution_hint"`
	Token           string            `yaml:"token"` // jwt, introspection or userinfo
	Introspection   Client            `yaml:"introspection"`
	EmailVerified   string            `yaml:"email_verified"`
	Origins         []string          `yaml:"origins"`
}

// Client is how this server identifies itself when it asks the provider about tokens.
type Client struct {
	ClientID     string `yaml:"client_id"` // empty: oidc.client_id
	ClientSecret string `yaml:"client_secret" secret:"true"`
}

// Hint is the parameter of the sign-in request that names the institution.
type Hint struct {
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
}

// Accounts says who may start sessions.
type Accounts struct {
	Enable  EnablePolicy `yaml:"enable"`
	Contact string       `yaml:"contact"`
}

// OAI is who answers questions about harvests. Without an address, the catalog can't be harvested.
type OAI struct {
	AdminEmail string `yaml:"admin_email"` // empty: accounts.contact, if that is an address
}

// AdminEmail returns the address that harvesters are told; "" for none.
func (c Config) AdminEmail() string {
	if c.OAI.AdminEmail != "" {
		return c.OAI.AdminEmail
	}
	if identity.ValidEmail(c.Accounts.Contact) {
		return c.Accounts.Contact
	}
	return ""
}

// EnablePolicy is "auto", "manual", or a list of e-mail domains; the zero value uses the default of the server's mode.
type EnablePolicy struct {
	Mode    string
	Domains []string
}

// UnmarshalYAML reads auto, manual, or {domains: [...]}.
func (p *EnablePolicy) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		p.Mode = node.Value
		return nil
	}
	var list struct {
		Domains []string `yaml:"domains"`
	}
	if err := node.Decode(&list); err != nil {
		return err
	}
	p.Mode, p.Domains = "domains", list.Domains
	return nil
}

// Sessions says where sessions run and how many.
type Sessions struct {
	Engines    []Engine `yaml:"engines"`
	Limit      int      `yaml:"limit"`
	Capacity   int      `yaml:"capacity"`
	Idle       string   `yaml:"idle"`
	OpenIdle   string   `yaml:"open_idle"`
	CookieLife string   `yaml:"cookie_life"`
	Network    string   `yaml:"network"`
	Memory     string   `yaml:"memory"`
	CPU        string   `yaml:"cpu"`
	Disk       string   `yaml:"disk"`
	Files      int      `yaml:"files"`
	Keep       string   `yaml:"keep"`
	Undelete   string   `yaml:"undelete"` // how long deleted sessions can be undeleted
	Folder     string   `yaml:"folder"`   // where sessions see no mounts; empty: that of the data with -sessions
	Pip        Pip      `yaml:"pip"`
	R          R        `yaml:"r"`
	Builder    Builder  `yaml:"builder"`
	Jupyter    string   `yaml:"jupyter"` // empty: the best one that is found
	Terminal   bool     `yaml:"terminal"`
	SSH        bool     `yaml:"ssh"`
	VSCode     string   `yaml:"vscode"`
	Extensions string   `yaml:"extensions"` // of VS Code: none or gallery
	Warm       []Warm   `yaml:"warm"`
}

// Warm says how many sessions of an entry or a project run before anybody asks for them.
type Warm struct {
	Entry  string `yaml:"entry"` // its id
	Count  int    `yaml:"count"`
	Engine string `yaml:"engine"` // empty: the first that can
}

// Pip says where sessions get the packages that repositories ask for.
type Pip struct {
	IndexURL  string `yaml:"index_url" secret:"true"` // may contain a password
	FindLinks string `yaml:"find_links"`
}

// R says where sessions get the packages of R that repositories ask for.
type R struct {
	Repository string `yaml:"repository"` // such as CRAN's, or a mirror of it
}

// Builder names a program that makes environments for which pip isn't enough; an empty command: none.
type Builder struct {
	Command string   `yaml:"command"`
	Hosts   []string `yaml:"hosts"`
}

// Engine is one engine.
type Engine struct {
	Name      string `yaml:"name"`
	Label     string `yaml:"label"`
	Kind      string `yaml:"kind"`
	URL       string `yaml:"url"`
	Token     string `yaml:"token"`
	TokenFile string `yaml:"token_file"`

	LaunchTimeout string `yaml:"launch_timeout"`
	VSCode        string `yaml:"vscode"` // empty: that of Sessions

	Profiles []Profile `yaml:"profiles"`
}

// Profile is a size of sessions that people choose. Empty fields are those of the engine.
type Profile struct {
	Name   string   `yaml:"name"`
	Label  string   `yaml:"label"`
	Memory string   `yaml:"memory"`
	CPUs   string   `yaml:"cpus"`
	Disk   string   `yaml:"disk"`
	GPUs   int      `yaml:"gpus"`
	Image  string   `yaml:"image"`
	For    Audience `yaml:"for"`
}

// Audience is "everyone" (the default), "operators", or a list of e-mail domains.
type Audience struct {
	Mode    string
	Domains []string
}

// UnmarshalYAML reads everyone, operators, or [domain, ...].
func (a *Audience) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		a.Mode = node.Value
		return nil
	}
	a.Mode = "domains"
	return node.Decode(&a.Domains)
}

// Datasets says where the operator's datasets are, and who may download them.
type Datasets struct {
	Root          string `yaml:"root"`
	Download      string `yaml:"download"` // everyone, signed_in or none; empty: signed_in, in the demo everyone
	DownloadLimit string `yaml:"download_limit"`
}

// Downloads returns who may download datasets, and at most how many bytes, from a valid configuration.
func (c Config) Downloads() (who string, limit int64) {
	who = preview.DownloadsForSignedIn
	if c.Demo {
		who = preview.DownloadsForEveryone
	}
	limit, _ = humanize.ParseBytes(c.Datasets.DownloadLimit)
	return cmp.Or(c.Datasets.Download, who), limit
}

// DataCite says where DOIs are looked up.
type DataCite struct {
	APIURL string `yaml:"api_url"` // empty: nowhere
}

// Outgoing says which addresses given by users may be reached.
type Outgoing struct {
	Allow []string `yaml:"allow"`
}

// Prefixes returns the networks that may be reached although they aren't public.
func (c Outgoing) Prefixes() []netip.Prefix { return Prefixes(c.Allow) }

// Prefixes reads networks that were checked before.
func Prefixes(texts []string) []netip.Prefix {
	networks := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		networks[i] = netip.MustParsePrefix(text)
	}
	return networks
}

// Limits bounds what callers may ask for.
type Limits struct {
	Anonymous        Rate `yaml:"anonymous"`
	AdditionsPerHour int  `yaml:"additions_per_hour"` // entries that one account adds; 0: no limit
}

// Runs says how the catalog runs its entries.
type Runs struct {
	Engine  string  `yaml:"engine"`  // that runs them; empty: the first that can
	Every   string  `yaml:"every"`   // how long after its last run an entry is run again, or never
	Share   float64 `yaml:"share"`   // of sessions.capacity that runs may take while nobody waits
	Timeout string  `yaml:"timeout"` // of one notebook
	Network string  `yaml:"network"`
	PerDay  int     `yaml:"per_day"` // how many runs an account may start of an entry
	Keep    string  `yaml:"keep"`    // how long runs are kept that others followed
}

// Jobs limits what goes on without its user.
type Jobs struct {
	PerAccount int    `yaml:"per_account"` // how many jobs of an account run at once, in sessions of their own
	Keep       string `yaml:"keep"`        // how long jobs that have ended are kept, with what they wrote
	Deadline   string `yaml:"deadline"`    // the most that one may take
}

// Sharing says how people may share their sessions.
type Sharing struct {
	HelpDesk []string `yaml:"helpdesk"` // e-mail addresses of those whom owners of sessions may ask for help
	Links    string   `yaml:"links"`    // for whom links to sessions work: signed_in, anyone (to see alone) or none
}

// Audit says how long records of changes are kept.
type Audit struct {
	Keep string `yaml:"keep"`
}

// Rate limits the calls from one address: Rate per second, after at most Burst at once. Rate 0 means no limit.
type Rate struct {
	Rate  int `yaml:"rate"`
	Burst int `yaml:"burst"`
}

// Limit returns the limit, or nil for none.
func (c Rate) Limit() *httpapi.RateLimit {
	if c.Rate == 0 {
		return nil
	}
	return httpapi.NewRateLimit(rate.Limit(c.Rate), c.Burst)
}

// Disk says what sessions leave of the disks of this server.
type Disk struct {
	Reserve string `yaml:"reserve"` // a part such as 5%, or a size; empty: 5%, at most 5GiB
}

// DiskReserve reads disk.reserve.
func (c Disk) DiskReserve() (reserve localjupyter.Reserve, ok bool) {
	if c.Reserve == "" {
		return reserve, true
	}
	if number, found := strings.CutSuffix(c.Reserve, "%"); found {
		percent, err := strconv.ParseFloat(number, 64)
		return localjupyter.Reserve{Part: percent / 100}, err == nil && percent > 0 && percent <= 50
	}
	reserve.Bytes, ok = humanize.ParseBytes(c.Reserve)
	return reserve, ok && reserve.Bytes > 0
}

// Names lists names of descriptor files; messages use the first.
type Names struct {
	Names []string `yaml:"names"`
}

// Workflow is the platform to which models link.
type Workflow struct {
	Name string `yaml:"name"`
	URL  string `yaml:"url"`
}

// Origins is a list of origins.
type Origins struct {
	Origins []string `yaml:"origins"`
}

// Log configures the log.
type Log struct {
	Level  string `yaml:"level"`
	Format string `yaml:"format"`
}

// NewLogger returns the logger that the configuration describes; the level must be valid.
func (c Log) NewLogger(out io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.Level)) // checked before
	options := &slog.HandlerOptions{Level: level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}

// Unreadable reports whether nothing could be read, so that other faults say nothing about the file.
func (c Config) Unreadable() bool { return c.Reading.whole }

// Default returns the configuration with every key at its default.
func Default() Config {
	return Config{
		Listen: "127.0.0.1:8080", SessionListen: "127.0.0.1:8081", Data: "data",
		OIDC: OIDC{
			ClientID: "data-catalog-portal", Scope: "openid email", Prompt: "login",
			ExtraParams: map[string]string{"kc_idp_hint": "oidc"}, Token: "jwt", EmailVerified: "claim",
		},
		Sessions: Sessions{
			Engines: []Engine{{Name: "local", Label: "Jupyter on this server", Kind: LocalKind}},
			Limit:   10, Files: 200_000, Idle: "60m", OpenIdle: "8h", CookieLife: "12h", Undelete: "14d", Network: "internet", Extensions: "none",
		},
		DataCite: DataCite{APIURL: "https://api.datacite.org"},
		Datasets: Datasets{DownloadLimit: "20GiB"},
		Limits:   Limits{Anonymous: Rate{Rate: 200, Burst: 1000}, AdditionsPerHour: 20},
		Keeping: Keeping{
			Versions: Versions{Every: "60s", Quota: "20GiB", FileLimit: "1GiB"}, Uploads: Uploads{File: "20GiB", Quota: "50GiB"},
			Archives: []Archive{{Name: "zenodo", Label: "Zenodo", Kind: "zenodo", URL: "https://zenodo.org"}},
		},
		Audit:      Audit{Keep: "1y"},
		Runs:       Runs{Every: "30d", Share: 0.25, Timeout: "10m", Network: "none", PerDay: 3, Keep: "180d"},
		Jobs:       Jobs{PerAccount: 2, Keep: "30d", Deadline: "12h"},
		Together:   Together{Sharing: Sharing{Links: "signed_in"}},
		Descriptor: Names{Names: []string{"cairn.yml", "cybershuttle.yml"}},
		Workflow:   Workflow{Name: "the workflow platform"},
		Shutdown:   Shutdown{Notice: "5s"},
		Log:        Log{Level: "info", Format: "text"},
	}
}

// WithDemoDefaults sets what the demo's operator would have set: refresh tokens and names at the embedded provider, a contact
// and a help desk.
func (c Config) WithDemoDefaults() Config {
	if c.Demo && c.OIDC.Issuer == "" && c.OIDC.Scope == Default().OIDC.Scope {
		c.OIDC.Scope += " profile offline_access"
	}
	if c.Demo && c.Accounts.Contact == "" {
		c.Accounts.Contact = "operator@example.org"
	}
	if c.Demo && len(c.Together.Sharing.HelpDesk) == 0 {
		c.Together.Sharing.HelpDesk = []string{"operator@example.org"}
	}
	if c.Demo && len(c.Together.Workshops.Hosts) == 0 {
		c.Together.Workshops.Hosts = []string{"example.org"}
	}
	return c
}
