package app

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"reflect"
	"strconv"
	"strings"

	"cairn/internal/bytesize"
	"cairn/internal/fault"
	"cairn/internal/httpapi"
	"cairn/internal/identity"
	"cairn/internal/preview"
	"cairn/internal/sessions/engine/localjupyter"

	"go.yaml.in/yaml/v3"
	"golang.org/x/time/rate"
)

// Config holds everything that operators can set: in a YAML file, by environment variables (CAIRN_ and the path of the
// key in capitals, with underscores), and partly by flags; the later ones win. Keys tagged secret may also be given as
// the path of a file, in a variable that ends in _FILE. docs/configure.md explains each.
type Config struct {
	Listen         string         `yaml:"listen"`
	SessionListen  string         `yaml:"session_listen"`
	PublicURL      string         `yaml:"public_url"`
	SessionURL     string         `yaml:"session_url"`
	SharedSessions bool           `yaml:"session_url_shared"`
	Data           string         `yaml:"data"`
	DatabaseURL    string         `yaml:"database_url" secret:"true"`
	Site           string         `yaml:"site"`
	Demo           bool           `yaml:"demo"`
	DemoAnywhere   bool           `yaml:"-"` // only a flag: nobody should leave it behind in a file
	TLS            TLSConfig      `yaml:"tls"`
	IDP            IDPConfig      `yaml:"idp"`
	OIDC           OIDCConfig     `yaml:"oidc"`
	Accounts       AccountsConfig `yaml:"accounts"`
	Sessions       SessionsConfig `yaml:"sessions"`
	Datasets       DatasetsConfig `yaml:"datasets"`
	CodeHost       CodeHostConfig `yaml:"codehost"`
	DataCite       DataCiteConfig `yaml:"datacite"`
	Outgoing       OutgoingConfig `yaml:"outgoing"`
	Descriptor     NamesConfig    `yaml:"descriptor"`
	Workflow       WorkflowConfig `yaml:"workflow"`
	CORS           OriginsConfig  `yaml:"cors"`
	TrustedProxies []string       `yaml:"trusted_proxies"`
	Hosts          []string       `yaml:"hosts"`
	Limits         LimitsConfig   `yaml:"limits"`
	Disk           DiskConfig     `yaml:"disk"`
	Versions       VersionsConfig `yaml:"versions"`
	Shutdown       ShutdownConfig `yaml:"shutdown"`
	Audit          AuditConfig    `yaml:"audit"`
	Runs           RunsConfig     `yaml:"runs"`
	OAI            OAIConfig      `yaml:"oai"`
	Log            LogConfig      `yaml:"log"`
	Metrics        MetricsConfig  `yaml:"metrics"`

	unread  []string // what LoadConfig couldn't read; Check reports it with the rest
	unknown bool     // the whole file couldn't be read, so there is nothing to say of the rest
}

// IDPConfig configures the embedded identity provider.
type IDPConfig struct {
	Accounts []IDPAccount `yaml:"accounts"`
	Clients  []IDPClient  `yaml:"clients"`
}

// IDPClient is another front end that may sign people in at the embedded identity provider.
type IDPClient struct {
	ClientID     string   `yaml:"client_id"`
	RedirectURIs []string `yaml:"redirect_uris"`
	Origins      []string `yaml:"origins"`
}

// IDPAccount is an account that may sign in at the embedded identity provider.
type IDPAccount struct {
	Email        string `yaml:"email"`
	Name         string `yaml:"name"`
	PasswordHash string `yaml:"password_hash"`
}

// OIDCConfig says where people sign in.
type OIDCConfig struct {
	Issuer          string            `yaml:"issuer"` // empty: the embedded provider
	ClientID        string            `yaml:"client_id"`
	Audience        string            `yaml:"audience"`
	Scope           string            `yaml:"scope"`
	Prompt          string            `yaml:"prompt"`
	ExtraParams     map[string]string `yaml:"extra_params"`
	InstitutionHint HintConfig        `yaml:"institution_hint"`
	Token           string            `yaml:"token"` // jwt, introspection or userinfo
	Introspection   ClientConfig      `yaml:"introspection"`
	EmailVerified   string            `yaml:"email_verified"`
	Origins         []string          `yaml:"origins"`
}

// ClientConfig is how this server identifies itself when it asks the provider about tokens.
type ClientConfig struct {
	ClientID     string `yaml:"client_id"` // empty: oidc.client_id
	ClientSecret string `yaml:"client_secret" secret:"true"`
}

// HintConfig is the parameter of the sign-in request that names the institution.
type HintConfig struct {
	Name  string `yaml:"name" json:"name"`
	Value string `yaml:"value" json:"value"`
}

// AccountsConfig says who may start sessions.
type AccountsConfig struct {
	Enable  EnablePolicy `yaml:"enable"`
	Contact string       `yaml:"contact"`
}

// OAIConfig is who answers questions about harvests. Without an address, the catalog can't be harvested.
type OAIConfig struct {
	AdminEmail string `yaml:"admin_email"` // empty: accounts.contact, if that is an address
}

// adminEmail returns the address that harvesters are told; "" for none.
func (c Config) adminEmail() string {
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

// SessionsConfig says where sessions run and how many.
type SessionsConfig struct {
	Engines    []EngineConfig `yaml:"engines"`
	Limit      int            `yaml:"limit"`
	Capacity   int            `yaml:"capacity"`
	Idle       string         `yaml:"idle"`
	OpenIdle   string         `yaml:"open_idle"`
	CookieLife string         `yaml:"cookie_life"`
	Network    string         `yaml:"network"`
	Memory     string         `yaml:"memory"`
	CPU        string         `yaml:"cpu"`
	Disk       string         `yaml:"disk"`
	Files      int            `yaml:"files"`
	Keep       string         `yaml:"keep"`
	Undelete   string         `yaml:"undelete"` // how long deleted sessions can be undeleted
	Folder     string         `yaml:"folder"`   // where sessions see no mounts; empty: that of the data with -sessions
	Pip        PipConfig      `yaml:"pip"`
	Builder    BuilderConfig  `yaml:"builder"`
	Jupyter    string         `yaml:"jupyter"` // empty: the best one that is found
	Terminal   bool           `yaml:"terminal"`
	Warm       []WarmConfig   `yaml:"warm"`
}

// WarmConfig says how many sessions of an entry or a project run before anybody asks for them.
type WarmConfig struct {
	Entry string `yaml:"entry"` // its id
	Count int    `yaml:"count"`
}

// PipConfig says where sessions get the packages that repositories ask for.
type PipConfig struct {
	IndexURL  string `yaml:"index_url" secret:"true"` // may contain a password
	FindLinks string `yaml:"find_links"`
}

// BuilderConfig names a program that makes environments for which pip isn't enough; an empty command: none.
type BuilderConfig struct {
	Command string   `yaml:"command"`
	Hosts   []string `yaml:"hosts"`
}

// EngineConfig is one engine.
type EngineConfig struct {
	Name      string `yaml:"name"`
	Label     string `yaml:"label"`
	Kind      string `yaml:"kind"`
	URL       string `yaml:"url"`
	Token     string `yaml:"token"`
	TokenFile string `yaml:"token_file"`

	LaunchTimeout string `yaml:"launch_timeout"`

	Profiles []ProfileConfig `yaml:"profiles"`
}

// ProfileConfig is a size of sessions that people choose. Empty fields are those of the engine.
type ProfileConfig struct {
	Name   string         `yaml:"name"`
	Label  string         `yaml:"label"`
	Memory string         `yaml:"memory"`
	CPUs   string         `yaml:"cpus"`
	Disk   string         `yaml:"disk"`
	GPUs   int            `yaml:"gpus"`
	Image  string         `yaml:"image"`
	For    AudienceConfig `yaml:"for"`
}

// AudienceConfig is "everyone" (the default), "operators", or a list of e-mail domains.
type AudienceConfig struct {
	Mode    string
	Domains []string
}

// UnmarshalYAML reads everyone, operators, or [domain, ...].
func (a *AudienceConfig) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		a.Mode = node.Value
		return nil
	}
	a.Mode = "domains"
	return node.Decode(&a.Domains)
}

// DatasetsConfig says where the operator's datasets are, and who may download them.
type DatasetsConfig struct {
	Root          string `yaml:"root"`
	Download      string `yaml:"download"` // everyone, signed_in or none; empty: signed_in, in the demo everyone
	DownloadLimit string `yaml:"download_limit"`
}

// downloads returns who may download datasets, and at most how many bytes, from a valid configuration.
func (c Config) downloads() (who string, limit int64) {
	who = preview.DownloadsForSignedIn
	if c.Demo {
		who = preview.DownloadsForEveryone
	}
	limit, _ = bytesize.Parse(c.Datasets.DownloadLimit)
	return cmp.Or(c.Datasets.Download, who), limit
}

// CodeHostConfig says how code hosts are reached.
type CodeHostConfig struct {
	GitHub struct {
		URL    string `yaml:"url"` // of its pages; empty: https://github.com
		APIURL string `yaml:"api_url"`
		RawURL string `yaml:"raw_url"`
		Token  string `yaml:"token" secret:"true"`
	} `yaml:"github"`
}

// DataCiteConfig says where DOIs are looked up.
type DataCiteConfig struct {
	APIURL string `yaml:"api_url"` // empty: nowhere
}

// OutgoingConfig says which addresses given by users may be reached.
type OutgoingConfig struct {
	Allow []string `yaml:"allow"`
}

// prefixes returns the networks that may be reached although they aren't public.
func (c OutgoingConfig) prefixes() []netip.Prefix { return prefixes(c.Allow) }

// prefixes reads networks that were checked before.
func prefixes(texts []string) []netip.Prefix {
	networks := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		networks[i] = netip.MustParsePrefix(text)
	}
	return networks
}

// LimitsConfig bounds what callers may ask for.
type LimitsConfig struct {
	Anonymous        RateConfig `yaml:"anonymous"`
	AdditionsPerHour int        `yaml:"additions_per_hour"` // entries that one account adds; 0: no limit
}

// RunsConfig says how the catalog runs its entries.
type RunsConfig struct {
	Every   string  `yaml:"every"`   // how long after its last run an entry is run again, or never
	Share   float64 `yaml:"share"`   // of sessions.capacity that runs may take while nobody waits
	Timeout string  `yaml:"timeout"` // of one notebook
	Network string  `yaml:"network"`
	PerDay  int     `yaml:"per_day"` // how many runs an account may start of an entry
	Keep    string  `yaml:"keep"`    // how long runs are kept that others followed
}

// AuditConfig says how long records of changes are kept.
type AuditConfig struct {
	Keep string `yaml:"keep"`
}

// RateConfig limits the calls from one address: Rate per second, after at most Burst at once. Rate 0 means no limit.
type RateConfig struct {
	Rate  int `yaml:"rate"`
	Burst int `yaml:"burst"`
}

func (c RateConfig) limit() *httpapi.RateLimit {
	if c.Rate == 0 {
		return nil
	}
	return httpapi.NewRateLimit(rate.Limit(c.Rate), c.Burst)
}

// DiskConfig says what sessions leave of the disks of this server.
type DiskConfig struct {
	Reserve string `yaml:"reserve"` // a part such as 5%, or a size; empty: 5%, at most 5GiB
}

// diskReserve reads disk.reserve.
func (c DiskConfig) diskReserve() (reserve localjupyter.Reserve, ok bool) {
	if c.Reserve == "" {
		return reserve, true
	}
	if number, found := strings.CutSuffix(c.Reserve, "%"); found {
		percent, err := strconv.ParseFloat(number, 64)
		return localjupyter.Reserve{Part: percent / 100}, err == nil && percent > 0 && percent <= 50
	}
	reserve.Bytes, ok = bytesize.Parse(c.Reserve)
	return reserve, ok && reserve.Bytes > 0
}

// NamesConfig lists names of descriptor files; messages use the first.
type NamesConfig struct {
	Names []string `yaml:"names"`
}

// WorkflowConfig is the platform to which models link.
type WorkflowConfig struct {
	Name string `yaml:"name" json:"name"`
	URL  string `yaml:"url" json:"url"`
}

// OriginsConfig is a list of origins.
type OriginsConfig struct {
	Origins []string `yaml:"origins"`
}

// LogConfig configures the log.
type LogConfig struct {
	Level  string `yaml:"level"`
	Format string `yaml:"format"`
}

// newLogger returns the logger that the configuration describes; the level must be valid.
func (c LogConfig) newLogger(out io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.Level)) // checked before
	options := &slog.HandlerOptions{Level: level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}

// unreadable reports whether nothing could be read, so that other faults say nothing about the file.
func (c Config) unreadable() bool { return c.unknown }

// DefaultConfig returns the configuration with every key at its default.
func DefaultConfig() Config {
	return Config{
		Listen: "127.0.0.1:8080", SessionListen: "127.0.0.1:8081", Data: "data",
		OIDC: OIDCConfig{
			ClientID: "data-catalog-portal", Scope: "openid email", Prompt: "login",
			ExtraParams: map[string]string{"kc_idp_hint": "oidc"}, Token: "jwt", EmailVerified: "claim",
		},
		Sessions: SessionsConfig{
			Engines: []EngineConfig{{Name: "local", Label: "Jupyter on this server", Kind: localKind}},
			Limit:   10, Files: 200_000, Idle: "60m", OpenIdle: "8h", CookieLife: "12h", Undelete: "14d", Network: "internet",
		},
		DataCite:   DataCiteConfig{APIURL: "https://api.datacite.org"},
		Datasets:   DatasetsConfig{DownloadLimit: "20GiB"},
		Limits:     LimitsConfig{Anonymous: RateConfig{Rate: 200, Burst: 1000}, AdditionsPerHour: 20},
		Versions:   VersionsConfig{Every: "60s", Quota: "20GiB", FileLimit: "1GiB"},
		Audit:      AuditConfig{Keep: "1y"},
		Runs:       RunsConfig{Every: "30d", Share: 0.25, Timeout: "10m", Network: "none", PerDay: 3, Keep: "180d"},
		Descriptor: NamesConfig{Names: []string{"cairn.yml", "cybershuttle.yml"}},
		Workflow:   WorkflowConfig{Name: "the workflow platform"},
		Shutdown:   ShutdownConfig{Notice: "5s"},
		Log:        LogConfig{Level: "info", Format: "text"},
	}
}

// withDemoDefaults sets what the demo's operator would have set: refresh tokens and names at the embedded provider, and
// a contact.
func (c Config) withDemoDefaults() Config {
	if c.Demo && c.OIDC.Issuer == "" && c.OIDC.Scope == DefaultConfig().OIDC.Scope {
		c.OIDC.Scope += " profile offline_access"
	}
	if c.Demo && c.Accounts.Contact == "" {
		c.Accounts.Contact = "operator@example.org"
	}
	return c
}

// LoadConfig reads the file, if one is named, and the environment (texts such as NAME=value) over the defaults. One
// Invalid fault names all unknown keys and variables, and unreadable values.
func LoadConfig(path string, environment []string) (Config, error) {
	config := DefaultConfig()
	var faults []string
	if path != "" {
		faults, config.unknown = readConfigFile(path, &config)
	}
	faults = append(faults, readEnvironment(&config, environment)...)
	faults = append(faults, config.Sessions.readTokens()...)
	config.unread = faults
	return config, configFault(faults)
}

func configFault(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "The configuration can't be used:\n  %s", strings.Join(faults, "\n  "))
}

// readConfigFile returns what of a file can't be read, and whether that is the whole file.
func readConfigFile(path string, config *Config) (faults []string, whole bool) {
	file, err := os.Open(path)
	if err != nil {
		return []string{"the file can't be read: " + err.Error()}, true
	}
	defer file.Close()
	decoder := yaml.NewDecoder(io.LimitReader(file, 1<<20))
	decoder.KnownFields(true)
	err = decoder.Decode(config)
	if wrong, ok := errors.AsType[*yaml.TypeError](err); ok {
		faults = make([]string, len(wrong.Errors))
		for i, text := range wrong.Errors {
			faults[i] = path + ": " + unknownKey(text)
		}
		return faults, false
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return []string{path + ": " + err.Error()}, true
	}
	return nil, false
}

// unknownKey rephrases the library's message about an unknown key for operators.
func unknownKey(text string) string {
	line, rest, found := strings.Cut(text, ": field ")
	if name, section, isUnknown := strings.Cut(rest, " not found in type "); found && isUnknown {
		return line + ": there is no key " + name + didYouMean(name, "", keysOf(reflect.TypeFor[Config](), section))
	}
	return text
}

// keysOf returns the keys of a type of this name below another type.
func keysOf(below reflect.Type, name string) (keys []string) {
	switch below.Kind() {
	case reflect.Slice:
		return keysOf(below.Elem(), name)
	case reflect.Struct:
		for field := range below.Fields() {
			if key := yamlKey(field); below.String() == name && key != "" {
				keys = append(keys, key)
			}
			keys = append(keys, keysOf(field.Type, name)...)
		}
	}
	return keys
}
