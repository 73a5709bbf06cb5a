package config_test

import (
	"slices"
	"strings"
	"testing"

	"cairn/internal/app/apptest"
	"cairn/internal/app/config"
	"cairn/internal/app/doctor"
)

func sizes(profiles ...config.Profile) func(c *config.Config) {
	return func(c *config.Config) { c.Sessions.Engines[0].Profiles = profiles }
}

func TestRulesOfTheConfiguration(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change func(*config.Config)
		want   []string
	}{
		"demo":                   {func(*config.Config) {}, nil},
		"demo for everybody":     {func(c *config.Config) { c.Listen = "0.0.0.0:8080" }, []string{"demo: anyone"}},
		"demo on all addresses":  {func(c *config.Config) { c.Listen = ":8080" }, []string{"demo: anyone"}},
		"demo, IPv6":             {func(c *config.Config) { c.Listen = "[::1]:8080" }, nil},
		"demo on localhost":      {func(c *config.Config) { c.Listen = "LocalHost:8080" }, nil},
		"demo anywhere":          {func(c *config.Config) { c.Listen, c.Reading.DemoAnywhere = "0.0.0.0:8080", true }, nil},
		"another machine's page": {func(c *config.Config) { c.Listen, c.Reading.DemoAnywhere = "192.168.1.5:8080", true }, []string{"public_url: is needed"}},
		"and its public address": {func(c *config.Config) {
			c.Listen, c.Reading.DemoAnywhere, c.PublicURL = "192.168.1.5:8080", true, "https://x.org"
		}, nil},
		"nobody could sign in":            {func(c *config.Config) { c.Demo = false }, []string{"idp.accounts: no one"}},
		"accounts":                        {accounts(config.IDPAccount{Email: "ada@example.org", PasswordHash: apptest.PasswordHash}), nil},
		"account without hash":            {accounts(config.IDPAccount{Email: "a@b"}), []string{`idp.accounts: "a@b": password_hash: The password hash is missing. Make one with cairn password`}},
		"account without e-mail":          {accounts(config.IDPAccount{PasswordHash: apptest.PasswordHash}), []string{"idp.accounts: \"\" isn't an e-mail address"}},
		"account with a password":         {accounts(config.IDPAccount{Email: "a@b", PasswordHash: "sesame"}), []string{`idp.accounts: "a@b": password_hash: This isn't the hash of a password.`}},
		"account with half a hash":        {accounts(config.IDPAccount{Email: "a@b", PasswordHash: "$argon2id$v=19$m=19456"}), []string{`idp.accounts: "a@b": password_hash: The argon2id hash is broken or cut off`}},
		"account with half a bcrypt":      {accounts(config.IDPAccount{Email: "a@b", PasswordHash: apptest.PasswordHash[:50]}), []string{`idp.accounts: "a@b": password_hash: The bcrypt hash is broken or cut off`}},
		"account with another hash":       {accounts(config.IDPAccount{Email: "a@b", PasswordHash: "$6$salt$hash"}), []string{`idp.accounts: "a@b": password_hash: The password hash is neither argon2id nor bcrypt.`}},
		"account that is there twice":     {accounts(config.IDPAccount{Email: "a@b", PasswordHash: apptest.PasswordHash}, config.IDPAccount{Email: "A@b", PasswordHash: apptest.PasswordHash}), []string{`idp.accounts: "A@b": email: a@b is there twice.`}},
		"account of the demo":             {func(c *config.Config) { c.IDP.Accounts = []config.IDPAccount{{Email: "researcher@example.org"}} }, []string{"idp.accounts: researcher@example.org is there twice. The demo brings it; leave it out."}},
		"public address of no host":       {func(c *config.Config) { c.PublicURL = "https://my_catalog.example.org" }, []string{"The settings of the embedded identity provider are wrong."}},
		"no such port":                    {func(c *config.Config) { c.Listen, c.SessionListen = "127.0.0.1:70000", "127.0.0.1:-1" }, []string{`listen: "127.0.0.1:70000" must be host:port`, `session_listen: "127.0.0.1:-1"`}},
		"both listeners on one port":      {func(c *config.Config) { c.SessionListen = c.Listen }, []string{`session_listen: "127.0.0.1:8080" must have another port than listen`}},
		"one listener in the other":       {func(c *config.Config) { c.SessionListen = ":8080" }, []string{`session_listen: ":8080" must have another port than listen`}},
		"listeners on any ports":          {func(c *config.Config) { c.Listen, c.SessionListen = "127.0.0.1:0", "127.0.0.1:0" }, nil},
		"one port on two addresses":       {func(c *config.Config) { c.Listen, c.SessionListen = "127.0.0.1:8080", "127.0.0.2:8080" }, nil},
		"a certificate without key":       {func(c *config.Config) { c.TLS.CertFile = "/etc/cert.pem" }, []string{"tls: cert_file and key_file belong together"}},
		"no certificate":                  {func(c *config.Config) { c.TLS = config.TLS{CertFile: "/nowhere.pem", KeyFile: "/nowhere.key"} }, []string{"tls.cert_file: /nowhere.pem cannot be read: no such file"}},
		"sessions on the page's own host": {func(c *config.Config) { c.SessionURL, c.SharedSessions = "http://127.0.0.1:9999/{kind}/{id}/", true }, []string{"session_url must have another host name than public_url"}},
		"bad listen addresses":            {func(c *config.Config) { c.Listen, c.SessionListen = "8080", "x" }, []string{"listen:", "session_listen:"}},
		"public name of loopback":         {func(c *config.Config) { c.PublicURL = "http://cairn.localhost:8080" }, nil},
		"another front end":               {clients(config.IDPClient{ClientID: "portal", RedirectURIs: []string{"https://portal.example.org/back", "http://localhost:3000/back"}, Origins: []string{"https://portal.example.org"}}), nil},
		"odd front end":                   {clients(config.IDPClient{ClientID: "", RedirectURIs: []string{"http://portal.example.org/back", "https://*.example.org/back"}, Origins: []string{"*"}}), []string{`idp.clients: "": client_id:`, `idp.clients: "": origins[0]: "*"`, `idp.clients: "": redirect_uris[0]: "http://portal.example.org/back" must be https`, `idp.clients: "": redirect_uris[1]: "https://*.example.org/back"`}},
		"front end without address":       {clients(config.IDPClient{ClientID: "portal"}), []string{`idp.clients: "portal": redirect_uris:`}},
		"front end of our name":           {clients(config.IDPClient{ClientID: "data-catalog-portal", RedirectURIs: []string{"https://portal.example.org/back"}}), []string{`idp.clients: "data-catalog-portal": this client_id is used twice`}},
		"front end elsewhere":             {func(c *config.Config) { clients(config.IDPClient{})(c); c.OIDC.Issuer = "https://login.example.org" }, []string{"idp.clients: are only for the embedded provider"}},
		"public http":                     {func(c *config.Config) { c.PublicURL = "http://catalog.example.org" }, []string{"public_url:"}},
		"public http on loopback":         {func(c *config.Config) { c.PublicURL = "http://localhost:8080" }, nil},
		"public https":                    {func(c *config.Config) { c.PublicURL = "https://catalog.example.org" }, nil},
		"public with a path":              {func(c *config.Config) { c.PublicURL = "https://example.org/catalog" }, []string{"public_url:"}},
		"public in capitals":              {func(c *config.Config) { c.PublicURL = "https://Catalog.example.org" }, []string{"public_url:"}},
		"public with a known port":        {func(c *config.Config) { c.PublicURL = "https://catalog.example.org:443" }, []string{"public_url:"}},
		"public with a password":          {func(c *config.Config) { c.PublicURL = "https://a:b@example.org" }, []string{"public_url:"}},
		"public, another policy":          {func(c *config.Config) { c.PublicURL = "https://x.org;script-src *" }, []string{"public_url:"}},
		"a mirror of GitHub":              {func(c *config.Config) { c.Code.CodeHost.GitHub.RawURL = "http://mirror.example.org/github" }, nil},
		"no mirror of GitHub":             {func(c *config.Config) { c.Code.CodeHost.GitHub.RawURL = "mirror" }, []string{"codehost.github.raw_url:"}},
		"sessions by http":                {func(c *config.Config) { c.SessionURL = "http://{kind}-{id}.run.example.org" }, []string{"session_url:"}},
		"sessions by https":               {func(c *config.Config) { c.SessionURL = "https://{kind}-{id}.run.example.org" }, nil},
		"sessions by path":                {byPath(false), []string{"session_url: with one host name for all sessions"}},
		"sessions by path, meant":         {byPath(true), nil},
		"sessions, another policy":        {func(c *config.Config) { c.SessionURL = "https://{kind}-{id}.x.org;img-src" }, []string{"session_url must look like"}},
		"no data folder":                  {func(c *config.Config) { c.Data = "" }, []string{"data:"}},
		"odd database":                    {func(c *config.Config) { c.DatabaseURL = "mysql://x" }, []string{"database_url:"}},
		"missing site file":               {func(c *config.Config) { c.Site = "/nowhere.yaml" }, []string{"The site file /nowhere.yaml can't be read"}},
		"provider by http":                {func(c *config.Config) { c.OIDC.Issuer = "http://login.example.org" }, []string{"oidc.issuer:"}},
		"no client":                       {func(c *config.Config) { c.OIDC.ClientID = "" }, []string{"oidc.client_id:"}},
		"no openid":                       {func(c *config.Config) { c.OIDC.Scope = "email openid2" }, []string{"oidc.scope:"}},
		"odd tokens":                      {func(c *config.Config) { c.OIDC.Token = "magic"; c.OIDC.Issuer = "https://login.example.org" }, []string{"oidc.token:"}},
		"odd e-mail rule":                 {func(c *config.Config) { c.OIDC.EmailVerified = "yes" }, []string{"oidc.email_verified:"}},
		"provider origin":                 {func(c *config.Config) { c.OIDC.Origins = []string{"https://*.example.org"} }, []string{"oidc.origins:"}},
		"odd policy":                      {func(c *config.Config) { c.Accounts.Enable.Mode = "all" }, []string{"accounts.enable:"}},
		"no domains":                      {func(c *config.Config) { c.Accounts.Enable.Mode = "domains" }, []string{"accounts.enable:"}},
		"no limit":                        {func(c *config.Config) { c.Sessions.Limit = 0 }, []string{"sessions.limit:"}},
		"no engine":                       {func(c *config.Config) { c.Sessions.Engines = nil }, []string{"sessions.engines:"}},
		"odd engine":                      {func(c *config.Config) { c.Sessions.Engines[0].Kind = "kubernetes" }, []string{"sessions.engines:"}},
		"two engines of one name":         {func(c *config.Config) { c.Sessions.Engines = append(c.Sessions.Engines, c.Sessions.Engines[0]) }, []string{"sessions.engines:"}},
		"a hub":                           {hub(config.Engine{Name: "hub", Kind: "jupyterhub", URL: "http://hub:8000", Token: "x"}), nil},
		"a patient engine":                {func(c *config.Config) { c.Sessions.Engines[0].LaunchTimeout = "20m" }, nil},
		"sizes":                           {sizes(config.Profile{Name: "a", Memory: "4GiB", CPUs: "1.5", Disk: "20GiB", For: config.Audience{Mode: "domains", Domains: []string{"Example.edu"}}}, config.Profile{Name: "b"}), nil},
		"sizes of one name":               {sizes(config.Profile{Name: "a"}, config.Profile{Name: "a"}), []string{"sessions.engines: \"local\": profiles: \"a\": each profile needs its own name"}},
		"a size without memory":           {sizes(config.Profile{Name: "a", Memory: "1MiB"}), []string{"sessions.engines: \"local\": profiles: \"a\": memory:"}},
		"a size without disk":             {sizes(config.Profile{Name: "a", Disk: "much"}), []string{"sessions.engines: \"local\": profiles: \"a\": disk:"}},
		"a size without processors":       {sizes(config.Profile{Name: "a", CPUs: "0"}), []string{"sessions.engines: \"local\": profiles: \"a\": cpus:"}},
		"a size with owed GPUs":           {sizes(config.Profile{Name: "a", GPUs: -1}), []string{"sessions.engines: \"local\": profiles: \"a\": gpus:"}},
		"a size with an image here":       {sizes(config.Profile{Name: "a", Image: "x"}), []string{"sessions.engines: \"local\": profiles: \"a\": sessions on this server run in no container"}},
		"a size for somebody":             {sizes(config.Profile{Name: "a", For: config.Audience{Mode: "friends"}}), []string{"sessions.engines: \"local\": profiles: \"a\": for:"}},
		"a size for nobody":               {sizes(config.Profile{Name: "a", For: config.Audience{Mode: "domains"}}), []string{"sessions.engines: \"local\": profiles: \"a\": for:"}},
		"an engine too patient":           {func(c *config.Config) { c.Sessions.Engines[0].LaunchTimeout = "2h" }, []string{"sessions.engines: \"local\": launch_timeout:"}},
		"an engine never patient":         {func(c *config.Config) { c.Sessions.Engines[0].LaunchTimeout = "never" }, []string{"sessions.engines: \"local\": launch_timeout:"}},
		"a hub without anything":          {hub(config.Engine{Name: "hub", Kind: "jupyterhub"}), []string{"sessions.engines: \"hub\" needs the url"}},
		"a hub without its token":         {hub(config.Engine{Name: "hub", Kind: "jupyterhub", URL: "https://hub.example.org"}), []string{"sessions.engines: \"hub\" needs the token"}},
		"odd name of an engine":           {hub(config.Engine{Name: "../hub", Kind: "local"}), []string{"sessions.engines: \"../hub\""}},
		"a local engine elsewhere":        {hub(config.Engine{Name: "other", Kind: "local", URL: "http://hub:8000"}), []string{"sessions.engines: \"other\" runs on this server"}},
		"proxies and names":               {edge([]string{"10.0.0.0/8", "::1/128"}, []string{"catalog.internal", "10.0.0.1:8080"}, 0, 0), nil},
		"odd proxies and names":           {edge([]string{"10.0.0.1"}, []string{"https://a", ""}, -1, 0), []string{`trusted_proxies: "10.0.0.1"`, `hosts: "https://a"`, `hosts: ""`, "limits.anonymous.rate:"}},
		"odd limits":                      {func(c *config.Config) { c.Limits.AdditionsPerHour = -1 }, []string{"limits.additions_per_hour:"}},
		"no burst":                        {edge(nil, nil, 1, 0), []string{"limits.anonymous.burst:"}},
		"negative capacity":               {func(c *config.Config) { c.Sessions.Capacity = -1 }, []string{"sessions.capacity:"}},
		"a capacity":                      {func(c *config.Config) { c.Sessions.Capacity = 3 }, nil},
		"warm sessions":                   {warm(2, warmID), nil},
		"warm without any":                {warm(0, warmID), []string{"sessions.warm: the count of " + warmID}},
		"warm by name":                    {warm(1, "tools"), []string{"sessions.warm: \"tools\" must be the id"}},
		"warm twice":                      {warm(1, warmID, warmID), []string{"sessions.warm: " + warmID + " is listed twice"}},
		"warm on two engines":             {warmOnBoth, nil},
		"more warm than room":             {warm(4, warmID), []string{"sessions.warm: 4 sessions together are more than sessions.capacity, which is 3"}},
		"warm on a hub":                   {warmOnHub, nil},
		"warm on an engine unknown":       {warmOn("other"), []string{"sessions.warm: there is no engine \"other\""}},
		"warm on a named engine":          {warmOn("local"), nil},
		"times of sessions":               {func(c *config.Config) { c.Sessions.Idle, c.Sessions.OpenIdle, c.Sessions.Keep = "90m", "2d", "30d" }, nil},
		"sessions forever": {func(c *config.Config) {
			c.Sessions.Idle, c.Sessions.OpenIdle, c.Sessions.Keep = "never", "never", "never"
		}, nil},
		"odd times of sessions":         {oddTimes, []string{"sessions.idle: \"60\" must be a time", "sessions.open_idle: \"-8h\"", "sessions.keep: \"a month\""}},
		"stopped at once":               {func(c *config.Config) { c.Sessions.Idle = "5s" }, []string{"sessions.idle: must be at least a minute"}},
		"tabs stop sooner":              {func(c *config.Config) { c.Sessions.OpenIdle = "30m" }, []string{"sessions.open_idle: must be at least as long"}},
		"no time to undelete":           {func(c *config.Config) { c.Sessions.Undelete = "5m" }, []string{"sessions.undelete: must be at least an hour"}},
		"an odd time to undelete":       {func(c *config.Config) { c.Sessions.Undelete = "two weeks" }, []string{"sessions.undelete: \"two weeks\" must be a time"}},
		"a short cookie":                {func(c *config.Config) { c.Sessions.CookieLife = "10m" }, []string{"sessions.cookie_life: must be at least an hour"}},
		"an odd life of cookies":        {func(c *config.Config) { c.Sessions.CookieLife = "half a day" }, []string{"sessions.cookie_life: \"half a day\" must be a time"}},
		"work not kept":                 {func(c *config.Config) { c.Sessions.Keep = "1h" }, []string{"sessions.keep: must be at least a day"}},
		"outgoing":                      {func(c *config.Config) { c.Outgoing.Allow = []string{"10.1.0.0/16", "fd00:1::/64"} }, nil},
		"odd allowed networks":          {func(c *config.Config) { c.Outgoing.Allow = []string{"10.1.0.0/16", "10.0.0.1", "intranet"} }, []string{`outgoing.allow: "10.0.0.1"`, `outgoing.allow: "intranet"`}},
		"limits of sessions":            {limits("2GiB", "1.5", "50 GB"), nil},
		"a folder of sessions":          {folder("/var/lib/cairn-sessions"), nil},
		"no path of sessions":           {folder("sessions"), []string{`sessions.folder: "sessions" must be the absolute path`}},
		"sessions in the data":          {folder("/srv/data/sessions"), []string{`sessions.folder: "/srv/data/sessions" must be outside the data folder`}},
		"sessions nobody enters":        {folder("/proc/1/fd/sessions"), []string{`sessions.folder: "/proc/1/fd/sessions": the accounts of sessions can't enter /proc/1/fd; choose`}},
		"odd limits of sessions":        {limits("2G", "many", "-1GiB"), []string{"sessions.memory: \"2G\" must be a size", "sessions.cpu: \"many\"", "sessions.disk: \"-1GiB\""}},
		"no number of files":            {func(c *config.Config) { c.Sessions.Files = 0 }, []string{"sessions.files: must be at least 1000"}},
		"open data":                     {downloads("everyone", "2TB"), nil},
		"odd downloads":                 {downloads("me", "a lot"), []string{`datasets.download: "me" must be everyone, signed_in or none`, `datasets.download_limit: "a lot" must be a size`}},
		"too many versions":             {versions("1s", "20GiB", "1GiB"), []string{"versions.every: \"1s\" must be a time from 10s to 1h"}},
		"no time between versions":      {versions("", "20GiB", "1GiB"), []string{"versions.every: \"\" must be"}},
		"tiny versions":                 {versions("60s", "1KiB", "none"), []string{"versions.quota: \"1KiB\" must be a size of at least 1MiB"}},
		"odd limit of files":            {versions("60s", "none", "a lot"), []string{"versions.file_limit: \"a lot\" must be"}},
		"metrics":                       {metrics("127.0.0.1:8082", false), nil},
		"metrics on a socket":           {metrics("unix:/run/cairn/metrics.sock", true), nil},
		"metrics for a network":         {metrics("10.0.0.5:8082", false), nil},
		"profiles on loopback":          {metrics("[::1]:8082", true), nil},
		"profiles for a network":        {metrics("10.0.0.5:8082", true), []string{"metrics.pprof: profiles can have secrets in them"}},
		"profiles for everybody":        {metrics(":8082", true), []string{"metrics.pprof: profiles can have secrets in them"}},
		"profiles by a public name":     {metrics("catalog.example.org:8082", true), []string{"metrics.pprof: profiles can have secrets in them"}},
		"profiles nowhere":              {metrics("", true), []string{"metrics.pprof: needs metrics.listen"}},
		"metrics on half a path":        {metrics("unix:metrics.sock", false), []string{`metrics.listen: "unix:metrics.sock" must have an absolute path`}},
		"metrics without a port":        {metrics("127.0.0.1", false), []string{`metrics.listen: "127.0.0.1" must be host:port`}},
		"metrics on the page's port":    {metrics("127.0.0.1:8080", false), []string{`metrics.listen: "127.0.0.1:8080" must have another port than listen`}},
		"metrics on the sessions' port": {metrics(":8081", false), []string{`metrics.listen: ":8081" must have another port than session_listen`}},
		"no reserve":                    {reserve("0%"), []string{"disk.reserve: \"0%\" must be a part of the disk"}},
		"most of the disk reserved":     {reserve("60%"), []string{"disk.reserve: \"60%\" must be"}},
		"odd reserve":                   {reserve("a lot"), []string{"disk.reserve: \"a lot\" must be"}},
		"no room for a session":         {limits("1MiB", "0", "1MiB"), []string{"sessions.memory: must be at least 256MiB", "sessions.cpu: \"0\"", "sessions.disk: must be at least 64MiB"}},
		"no number of processors":       {limits("", "NaN", ""), []string{"sessions.cpu:"}},
		"no network":                    {func(c *config.Config) { c.Sessions.Network = "none" }, nil},
		"odd network":                   {func(c *config.Config) { c.Sessions.Network = "all" }, []string{"sessions.network: \"all\" must be internet or none"}},
		"packages of their own":         {pip("http://pypi.example.org/simple", "/srv/wheels"), nil},
		"odd places of packages":        {pip("pypi", "wheels"), []string{"sessions.pip.index_url:", "sessions.pip.find_links:"}},
		"odd repositories of R":         {rRepository("https://me:secret@cran.example"), []string{"sessions.r.repository:"}},
		"an editor":                     {editor("/opt/code-server/bin/code-server"), nil},
		"an editor anywhere":            {editor("code-server"), []string{"sessions.vscode:"}},
		"an engine's editor":            {func(c *config.Config) { c.Sessions.Engines[0].VSCode = "code-server" }, []string{"sessions.engines: \"local\": vscode: \"code-server\" must be"}},
		"a gallery":                     {func(c *config.Config) { c.Sessions.Extensions = "gallery" }, nil},
		"a gallery out of reach":        {func(c *config.Config) { c.Sessions.Extensions, c.Sessions.Network = "gallery", "none" }, []string{"sessions.extensions: gallery needs sessions.network: internet"}},
		"odd extensions":                {func(c *config.Config) { c.Sessions.Extensions = "all" }, []string{"sessions.extensions: \"all\" must be none or gallery"}},
		"a repository of R":             {rRepository("http://cran.example.org:8080"), nil},
		"a builder":                     {builder("/usr/bin/env", "conda.anaconda.org"), nil},
		"an odd builder":                {builder("micromamba", "https://conda.anaconda.org", "127.0.0.1"), []string{"sessions.builder.command: \"micromamba\" must be the absolute path", "sessions.builder.hosts: \"127.0.0.1\"", "sessions.builder.hosts: \"https://conda.anaconda.org\" must be the name of a host"}},
		"a builder that isn't there":    {builder("/nonexistent/build"), []string{"sessions.builder.command: stat /nonexistent/build"}},
		"a builder nobody may run":      {builder("/etc/passwd"), []string{"sessions.builder.command: \"/etc/passwd\" must be a program"}},
		"a Jupyter without a path":      {func(c *config.Config) { c.Sessions.Jupyter = "jupyter-lab" }, []string{"sessions.jupyter: \"jupyter-lab\" must be the absolute path"}},
		"hosts without a builder":       {builder("", "conda.anaconda.org"), []string{"sessions.builder.hosts: set sessions.builder.command"}},
		"workflow script":               {func(c *config.Config) { c.Workflow.URL = "javascript:alert(1)" }, []string{"workflow.url:"}},
		"workflow":                      {func(c *config.Config) { c.Workflow.URL = "https://w.example.org/run?app={applicationInterfaceId}" }, nil},
		"every origin":                  {func(c *config.Config) { c.CORS.Origins = []string{"*"} }, []string{"cors.origins:"}},
		"origin with a wildcard":        {func(c *config.Config) { c.CORS.Origins = []string{"https://*.example.org"} }, []string{"cors.origins:"}},
		"origin with a slash":           {func(c *config.Config) { c.CORS.Origins = []string{"https://example.org/"} }, []string{"cors.origins:"}},
		"null origin":                   {func(c *config.Config) { c.CORS.Origins = []string{"null"} }, []string{"cors.origins:"}},
		"odd log":                       {func(c *config.Config) { c.Log = config.Log{Level: "all", Format: "xml"} }, []string{"log.level:", "log.format:"}},
		"sessions on the page host":     {pageHost, []string{"session_url must have another host name"}},
		"an end without notice":         {func(c *config.Config) { c.Shutdown.Notice = "0s" }, nil},
		"odd notices":                   {func(c *config.Config) { c.Shutdown.Notice = "never" }, []string{"shutdown.notice: \"never\" must be a time from 0s to 5m"}},
		"a notice too long":             {func(c *config.Config) { c.Shutdown.Notice = "1h" }, []string{"shutdown.notice: \"1h\" must be"}},
		"records not kept":              {func(c *config.Config) { c.Audit.Keep = "1h" }, []string{"audit.keep: must be at least a day"}},
		"records kept for long":         {func(c *config.Config) { c.Audit.Keep = "a year" }, []string{"audit.keep: \"a year\" must be a time such as 90d or 1y, or never"}},
		"faults of all parts": {
			func(c *config.Config) { c.Listen, c.Log.Level, c.OIDC.Scope, c.Site = "x", "y", "z", "/nowhere" },
			[]string{"listen:", "log.level:", "oidc.scope:", "The site file"},
		},

		"an Enterprise code host": {func(c *config.Config) {
			c.Code.CodeHost.GitHub.URL, c.Code.CodeHost.GitHub.Token = "https://ghe.example.org", "secret"
		}, nil},
		"a code host on this machine": {func(c *config.Config) { c.Code.CodeHost.GitHub.APIURL = "http://127.0.0.1:9/api" }, nil},
		"odd code hosts": {func(c *config.Config) {
			c.Code.CodeHost.GitHub.URL, c.Code.CodeHost.GitHub.APIURL, c.Code.CodeHost.GitHub.RawURL = "https://ghe.example.org/path", "ghe.example.org", "raw"
		}, []string{"codehost.github.api_url:", "codehost.github.raw_url:", "codehost.github.url:"}},
		"a token in the clear": {func(c *config.Config) {
			c.Code.CodeHost.GitHub.APIURL, c.Code.CodeHost.GitHub.RawURL, c.Code.CodeHost.GitHub.Token = "http://ghe.example.org/api", "https://ghe.example.org/raw", "secret"
		}, []string{"codehost.github.api_url: \"http://ghe.example.org/api\" must be an https address"}},
		"a code host of no kind":    {codeHost(config.OneCodeHost{Kind: "cvs", URL: "https://code.example.org"}), []string{`codehosts: kind: "cvs" isn't a kind of code host`}},
		"a code host without https": {codeHost(config.OneCodeHost{Kind: "gitlab", URL: "http://code.example.org"}), []string{"codehosts: url: "}},
		"a code host with a path":   {codeHost(config.OneCodeHost{Kind: "gitlab", URL: "https://code.example.org/git"}), []string{"codehosts: url: "}},
		"a code host twice":         {codeHost(config.OneCodeHost{Kind: "git", URL: "https://code.example.org"}, config.OneCodeHost{Kind: "gitlab", URL: "https://code.example.org"}), []string{"codehosts: url: \"https://code.example.org\" is listed twice"}},
		"an odd name of a host":     {codeHost(config.OneCodeHost{Kind: "git", URL: "https://code.example.org", Name: "a<b"}), []string{"codehosts: name: "}},
		"an API without https":      {codeHost(config.OneCodeHost{Kind: "gitea", URL: "https://code.example.org", APIURL: "http://code.example.org/api"}), []string{"codehosts: api_url: "}},
		"an API of git":             {codeHost(config.OneCodeHost{Kind: "git", URL: "https://code.example.org", APIURL: "https://code.example.org/api"}), []string{"codehosts: api_url: "}},
		"a token for git":           {codeHost(config.OneCodeHost{Kind: "bitbucket", URL: "https://code.example.org", TokenFile: "x"}), []string{"codehosts: token_file: "}},
		"a missing token":           {codeHost(config.OneCodeHost{Kind: "gitlab", URL: "https://code.example.org", TokenFile: "/nonexistent"}), []string{"codehosts: token_file: it cannot be read"}},
		"an empty token":            {codeHost(config.OneCodeHost{Kind: "gitlab", URL: "https://code.example.org", TokenFile: "/dev/null"}), []string{"codehosts: token_file: it must have one line"}},
		"OAuth with git alone":      {codeHost(withOAuth(config.OneCodeHost{Kind: "git", URL: "https://code.example.org"}, "cairn", "")), []string{"codehosts: oauth: "}},
		"a secret without a client": {codeHost(withOAuth(config.OneCodeHost{Kind: "gitlab", URL: "https://code.example.org"}, "", "/dev/null")), []string{"codehosts: oauth: "}},
		"a missing secret":          {codeHost(withOAuth(config.OneCodeHost{Kind: "gitlab", URL: "https://code.example.org"}, "cairn", "/nonexistent")), []string{"codehosts: oauth: client_secret_file: it cannot be read"}},
		"asked too often":           {codeHost(config.OneCodeHost{Kind: "gitlab", URL: "https://code.example.org", Recheck: "9s"}), []string{"codehosts: recheck: "}},
		"believed for too long":     {codeHost(config.OneCodeHost{Kind: "gitlab", URL: "https://code.example.org", Recheck: "6m"}), []string{"codehosts: recheck: "}},
		"a token of two lines":      {func(c *config.Config) { c.Code.CodeHost.GitHub.Token = "one\ntwo" }, []string{"codehost.github.token:"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			settings := config.Default()
			settings.Demo = true
			c.change(&settings)
			err := settings.Check()
			if len(c.want) > 0 {
				expectFaults(t, err, c.want...)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func edge(proxies, hosts []string, rate, burst int) func(*config.Config) {
	return func(c *config.Config) {
		c.TrustedProxies, c.Hosts, c.Limits.Anonymous = proxies, hosts, config.Rate{Rate: rate, Burst: burst}
	}
}

func clients(those ...config.IDPClient) func(*config.Config) {
	return func(c *config.Config) { c.IDP.Clients = those }
}

// accounts lets these sign in, outside of the demo.
func accounts(those ...config.IDPAccount) func(*config.Config) {
	return func(c *config.Config) { c.Demo, c.IDP.Accounts = false, those }
}

func byPath(shared bool) func(*config.Config) {
	return func(c *config.Config) {
		c.SessionURL, c.SharedSessions = "https://run.example.org/{kind}/{id}/", shared
	}
}

func oddTimes(c *config.Config) {
	c.Sessions.Idle, c.Sessions.OpenIdle, c.Sessions.Keep = "60", "-8h", "a month"
}

func versions(every, quota, fileLimit string) func(*config.Config) {
	return func(settings *config.Config) {
		settings.Keeping.Versions = config.Versions{Every: every, Quota: quota, FileLimit: fileLimit}
	}
}

func reserve(text string) func(*config.Config) {
	return func(c *config.Config) { c.Disk.Reserve = text }
}

func folder(path string) func(*config.Config) {
	return func(c *config.Config) { c.Data, c.Sessions.Folder = "/srv/data", path }
}

func limits(memory, cpu, disk string) func(*config.Config) {
	return func(c *config.Config) { c.Sessions.Memory, c.Sessions.CPU, c.Sessions.Disk = memory, cpu, disk }
}

func builder(command string, hosts ...string) func(*config.Config) {
	return func(c *config.Config) { c.Sessions.Builder = config.Builder{Command: command, Hosts: hosts} }
}

func editor(path string) func(*config.Config) {
	return func(c *config.Config) { c.Sessions.VSCode = path }
}

func rRepository(address string) func(*config.Config) {
	return func(c *config.Config) { c.Sessions.R.Repository = address }
}

func pip(index, links string) func(*config.Config) {
	return func(c *config.Config) { c.Sessions.Pip = config.Pip{IndexURL: index, FindLinks: links} }
}

// CVE-2024-28233: a sibling of the page's host could set cookies for it.
func pageHost(c *config.Config) {
	c.PublicURL, c.SessionURL = "https://example.org", "https://EXAMPLE.org:8443/{kind}/{id}/"
}

// A portal in the place of Cairn's own page, or behind the same proxy, is no other origin.
func TestFrontEndsThatCantCallTheAPI(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		public, origin string
		allowed        []string
		warned         bool
	}{
		"public_url":                {"https://catalog.example.org", "https://catalog.example.org", nil, false},
		"public_url with a slash":   {"https://catalog.example.org/", "https://catalog.example.org", nil, false},
		"public_url with a port":    {"https://catalog.example.org:8443", "https://catalog.example.org:8443", nil, false},
		"the address of listen":     {"", "http://127.0.0.1:8080", nil, false},
		"another port":              {"https://catalog.example.org", "https://catalog.example.org:8443", nil, true},
		"a name below it":           {"https://catalog.example.org", "https://portal.catalog.example.org", nil, true},
		"another origin":            {"https://catalog.example.org", "https://portal.example.org", nil, true},
		"another, in cors.origins":  {"https://catalog.example.org", "https://portal.example.org", []string{"https://portal.example.org"}, false},
		"another scheme, localhost": {"", "https://127.0.0.1:8080", nil, true},
	} {
		c := config.Default()
		c.PublicURL, c.CORS.Origins = one.public, one.allowed
		c.IDP.Clients = []config.IDPClient{{ClientID: "portal", RedirectURIs: []string{one.origin + "/back"}, Origins: []string{one.origin}}}
		warned := slices.ContainsFunc(c.Warnings(), func(text string) bool { return strings.HasPrefix(text, "idp.clients:") })
		if warned != one.warned {
			t.Errorf("%s: %v", name, c.Warnings())
		}
	}
}

func TestUnreadableAndWrongValuesAreReportedTogether(t *testing.T) {
	t.Parallel()
	settings, err := config.Load(apptest.WriteFile(t, "cairn.yaml", "foo: 1\nlisten: nonsense\n"), environment())
	if err == nil {
		t.Error("an unknown key was read")
	}
	if message := settings.Check().Error(); !strings.Contains(message, "there is no key foo") || !strings.Contains(message, "listen:") {
		t.Errorf("not all at once: %s", message)
	}
}

// What a file that can't be read leaves at its default would be reported too, as if somebody had written that.
func TestAFileThatCantBeReadIsTheOnlyFault(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"a mistake in its syntax": apptest.WriteFile(t, "cairn.yaml", "idp: {accounts: [{email: ada@example.org}]\nlisten: nonsense\n"), "no file": "/nowhere.yaml",
	} {
		settings, _ := config.Load(path, environment())
		_, err := doctor.CheckStart(t.Context(), settings)
		for _, err := range []error{err, settings.Check()} {
			if got := err.Error(); strings.Count(got, "\n") != 1 || !strings.Contains(got, path) {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

func hub(added config.Engine) func(c *config.Config) {
	return func(c *config.Config) { c.Sessions.Engines = append(c.Sessions.Engines, added) }
}

const warmID = "0198c0de-0000-7000-8000-000000000001"

// warm keeps sessions of each entry warm, with room for three.
func warm(count int, entries ...string) func(*config.Config) {
	return func(c *config.Config) {
		c.Sessions.Capacity = 3
		for _, entry := range entries {
			c.Sessions.Warm = append(c.Sessions.Warm, config.Warm{Entry: entry, Count: count})
		}
	}
}

func warmOn(engine string) func(*config.Config) {
	return func(c *config.Config) {
		warm(1, warmID)(c)
		c.Sessions.Warm[0].Engine = engine
	}
}

// warmOnBoth has the second of two warm sessions on a hub.
func warmOnBoth(c *config.Config) {
	warm(1, warmID, warmID)(c)
	c.Sessions.Warm[1].Engine = "hub"
	c.Sessions.Engines = append(c.Sessions.Engines, config.Engine{Name: "hub", Kind: "jupyterhub", URL: "https://hub.example.org", Token: "x"})
}

func warmOnHub(c *config.Config) {
	warm(1, warmID)(c)
	c.Sessions.Engines = []config.Engine{{Name: "hub", Kind: "jupyterhub", URL: "https://hub.example.org", Token: "x"}}
}

func metrics(listen string, pprof bool) func(*config.Config) {
	return func(c *config.Config) { c.Metrics = config.Metrics{Listen: listen, Pprof: pprof} }
}

func downloads(who, limit string) func(*config.Config) {
	return func(c *config.Config) { c.Datasets.Download, c.Datasets.DownloadLimit = who, limit }
}

// codeHost adds code hosts.
func codeHost(hosts ...config.OneCodeHost) func(*config.Config) {
	return func(c *config.Config) { c.Code.CodeHosts = hosts }
}

// withOAuth returns a code host with an application there.
func withOAuth(host config.OneCodeHost, client, secretFile string) config.OneCodeHost {
	host.OAuth.ClientID, host.OAuth.ClientSecretFile = client, secretFile
	return host
}
