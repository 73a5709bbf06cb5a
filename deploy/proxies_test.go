package deploy_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/machine/jupyterkernel"
)

// proxy is an example of deploy/proxies, and how it's run: what is replaced in its file, what is around it, the command.
type proxy struct {
	file    string
	replace []string
	around  func(t *testing.T, folder, file, port, plain string) []string
}

var proxies = map[string]proxy{
	"nginx": {
		"nginx.conf",
		[]string{
			"/etc/letsencrypt/live/catalog.example.org/fullchain.pem", "CHAIN", "/etc/letsencrypt/live/catalog.example.org/privkey.pem", "KEY",
			"listen 443", "listen 127.0.0.1:PORT", "listen 80", "listen 127.0.0.1:PLAIN", "127.0.0.1:8080", "127.0.0.1:PAGE", "127.0.0.1:8081", "127.0.0.1:SESSIONS",
		},
		func(t *testing.T, folder, file, _, _ string) []string {
			main := "daemon off;\npid " + folder + "/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
			if isRoot() {
				main = "user root;\n" + main
			}
			for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
				main += kind + "_temp_path " + folder + "/" + kind + ";\n"
			}
			write(t, filepath.Join(folder, "main.conf"), main+"include "+file+";\n}\n", 0o644)
			return []string{"nginx", "-e", "stderr", "-p", folder, "-c", filepath.Join(folder, "main.conf")}
		},
	},
	"caddy": {
		"Caddyfile",
		[]string{
			"/etc/caddy/fullchain.pem", "CHAIN", "/etc/caddy/privkey.pem", "KEY", "127.0.0.1:8080", "127.0.0.1:PAGE", "127.0.0.1:8081", "127.0.0.1:SESSIONS",
		},
		func(t *testing.T, _, file, port, plain string) []string {
			global := "{\n\tadmin off\n\tskip_install_trust\n\thttp_port " + plain + "\n\thttps_port " + port + "\n}\n"
			write(t, file, global+read(t, file), 0o644)
			return []string{"caddy", "run", "--config", file, "--adapter", "caddyfile"}
		},
	},
	"haproxy": {
		"haproxy.cfg",
		[]string{
			"/etc/haproxy/cairn.pem", "BOTH", "bind :443", "bind 127.0.0.1:PORT", "bind :80", "bind 127.0.0.1:PLAIN",
			"127.0.0.1:8080", "127.0.0.1:PAGE", "127.0.0.1:8081", "127.0.0.1:SESSIONS",
		},
		func(t *testing.T, _, file, _, _ string) []string {
			if !isRoot() { // it can't change its account then
				write(t, file, strings.NewReplacer("    user haproxy\n", "", "    group haproxy\n", "").Replace(read(t, file)), 0o644)
			}
			return []string{"haproxy", "-db", "-f", file}
		},
	},
}

// runProxy runs an example with the names, ports and certificate of the test in place of those in the file.
func runProxy(t *testing.T, p proxy, c certificate, port, plain, page, session string) (ended <-chan struct{}) {
	t.Helper()
	folder := t.TempDir()
	both := filepath.Join(folder, "cairn.pem")
	write(t, both, read(t, c.chain)+read(t, c.key), 0o600)
	values := []string{"CHAIN", c.chain, "KEY", c.key, "BOTH", both, "PORT", port, "PLAIN", plain, "PAGE", page, "SESSIONS", session}
	text := read(t, filepath.Join("proxies", p.file))
	for i := 0; i < len(p.replace); i += 2 {
		if !strings.Contains(text, p.replace[i]) {
			t.Fatalf("%s has no %s", p.file, p.replace[i])
		}
		text = strings.ReplaceAll(text, p.replace[i], strings.NewReplacer(values...).Replace(p.replace[i+1]))
	}
	text = strings.NewReplacer("catalog.example.org", "localhost", "run.example.org", "localhost").Replace(text)
	file := filepath.Join(folder, p.file)
	write(t, file, text, 0o644)
	arguments := p.around(t, folder, file, port, plain)
	command := program(t, arguments[0], arguments[1:]...)
	command.Env = append(os.Environ(), "HOME="+folder, "XDG_DATA_HOME="+folder, "XDG_CONFIG_HOME="+folder)
	return start(t, command)
}

// Each example is run in front of a real server with a real Jupyter: people sign in, look at a launch while it waits, work
// in a session, and are known by their own address.
func TestThoroughPackagesProxies(t *testing.T) {
	for name, one := range proxies {
		t.Run(name, func(t *testing.T) {
			c, found := newCertificate(t), ports(t, 4)
			port, plain, page, session := found[0], found[1], found[2], found[3]
			folder, site := t.TempDir(), "https://localhost:"+port
			write(t, filepath.Join(folder, "cairn.yaml"), "public_url: "+site+"\nsession_url: https://{kind}-{id}.localhost:"+port+
				"\nlisten: 127.0.0.1:"+page+"\nsession_listen: 127.0.0.1:"+session+"\ntrusted_proxies: [127.0.0.1/32]\nsessions: {capacity: 1}\n", 0o600)
			server := program(t, cairn(t), "serve", "--demo", "--config", filepath.Join(folder, "cairn.yaml"), "--data", filepath.Join(folder, "data"))
			server.Env = append(os.Environ(), "SSL_CERT_FILE="+c.chain)
			start(t, server)
			ended := runProxy(t, one, c, port, plain, page, session)

			browser := newPerson(t, site, port, c, true)
			browser.awaitHealth(site, ended)
			if answer, _ := browser.ask(http.MethodGet, site+"/", http.NoBody, nil); answer.ProtoMajor != 2 {
				t.Errorf("the page comes by %s", answer.Proto)
			}
			redirected(t, plain)
			browser.signIn("researcher@example.org")

			first := browser.launches()
			browser.removeLater(first)
			browser.awaitRunning(first.ID)
			second := browser.launches() // it waits for the only place
			browser.removeLater(second)
			browser.readsEvents(second)

			tab := newPerson(t, site, port, c, false) // websockets need HTTP/1.1
			tab.client.Jar = browser.client.Jar
			tab.computes(first)
			browser.isKnownBy(otherMachine)
		})
	}
}

// redirected expects that a browser that comes without encryption is sent to https.
func redirected(t *testing.T, port string) {
	t.Helper()
	visitor := newPerson(t, "", port, certificate{}, false)
	visitor.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, _ := visitor.ask(http.MethodGet, "http://localhost/about", http.NoBody, nil)
	target, err := answer.Location()
	if err != nil || target.Scheme != "https" || target.Path != "/about" || target.Hostname() != "localhost" {
		t.Errorf("plain HTTP is answered with %s to %v, %v", answer.Status, target, err)
	}
}

// awaitRunning waits until a session runs, and fails when it ends.
func (p *person) awaitRunning(id string) {
	p.t.Helper()
	for {
		var session struct{ Status, StatusReason string }
		p.call(http.MethodGet, "/sessions/"+id, nil, &session, nil)
		switch session.Status {
		case "RUNNING":
			return
		case "CREATED":
			<-time.After(50 * time.Millisecond)
		default:
			p.t.Fatalf("the session is %s: %s", session.Status, session.StatusReason)
		}
	}
}

// readsEvents reads the first event of a launch that waits: a proxy that keeps events back would pass it on at the end,
// which never comes.
func (p *person) readsEvents(s started) {
	p.t.Helper()
	response := p.open(p.t.Context(), http.MethodGet, s.origin(p.t)+"/.cairn/s/"+s.ID+"/events", http.NoBody, nil)
	defer response.Body.Close()
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		p.t.Fatalf("the events are %s %s", response.Status, kind)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if data, found := strings.CutPrefix(lines.Text(), "data:"); found {
			var state struct{ Status string }
			if err := json.Unmarshal([]byte(data), &state); err != nil || state.Status != "CREATED" {
				p.t.Errorf("the first event is %s, %v", data, err)
			}
			return
		}
	}
	p.t.Errorf("the events end: %v", lines.Err())
}

// computes lets somebody upload a file and run a cell, over a websocket.
func (p *person) computes(s started) {
	p.t.Helper()
	ctx, origin := p.t.Context(), s.origin(p.t)
	server := jupyterkernel.Server{URL: origin + "/s/" + s.ID + "/", Header: http.Header{"Origin": {origin}}, Client: p.client}
	const length = 3 << 20 // more than nginx takes by default
	noError(p.t, server.Call(ctx, http.MethodPut, "api/contents/long.txt",
		map[string]string{"type": "file", "format": "text", "content": strings.Repeat("x", length)}, nil))
	kernel, err := server.Start(ctx, "python3", "cell.ipynb")
	noError(p.t, err)
	socket, err := server.Dial(ctx, kernel.ID)
	noError(p.t, err)
	defer socket.Close()
	id, err := socket.Ask(ctx, "shell", "execute_request", map[string]any{
		"code": "print(len(open('long.txt').read()))", "silent": false, "store_history": false, "user_expressions": map[string]any{}, "allow_stdin": false,
	})
	noError(p.t, err)
	for {
		message, err := socket.Read(ctx)
		noError(p.t, err)
		if message.Parent != id || message.Type != "stream" {
			continue
		}
		if !strings.Contains(string(message.Content), "3145728") {
			p.t.Errorf("the cell prints %s", message.Content)
		}
		return
	}
}

// isKnownBy expects the server to know somebody by an address, whatever they say themselves.
func (p *person) isKnownBy(address string) {
	p.t.Helper()
	var found []struct{ ID string }
	p.call(http.MethodGet, "/resources/public/search?type=DATASET&name=", nil, &found, nil)
	p.call(http.MethodPut, "/resources/"+found[0].ID+"/star", nil, nil, http.Header{"X-Forwarded-For": {"203.0.113.9"}})
	var activity struct {
		Items []struct{ Action, Address string } `json:"content"`
	}
	p.call(http.MethodGet, "/account/activity", nil, &activity, nil)
	if len(activity.Items) == 0 || activity.Items[0].Address != address {
		p.t.Errorf("the star is recorded as %+v, want the address %s", activity.Items, address)
	}
}
