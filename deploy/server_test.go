package deploy_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/foundation/freeports"
)

// patience is how long a test waits for what comes in seconds or never.
const patience = 2 * time.Minute

// certificate is one for localhost and the names below it, in files.
type certificate struct {
	chain, key string
	trusted    *x509.CertPool
}

func newCertificate(t *testing.T) certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	noError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost", "*.localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	noError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	noError(t, err)
	folder := t.TempDir()
	c := certificate{chain: filepath.Join(folder, "fullchain.pem"), key: filepath.Join(folder, "privkey.pem"), trusted: x509.NewCertPool()}
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	write(t, c.chain, string(chain), 0o644)
	write(t, c.key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})), 0o600)
	c.trusted.AppendCertsFromPEM(chain)
	return c
}

// ports finds free ports.
func ports(t *testing.T, count int) []string {
	t.Helper()
	first, err := freeports.Find(t.Context(), count)
	noError(t, err)
	found := make([]string, count)
	for i := range found {
		found[i] = strconv.Itoa(first + i)
	}
	return found
}

// program is a command that goes on until the test's cleanup, which may need it.
func program(t *testing.T, name string, arguments ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(context.WithoutCancel(t.Context()), name, arguments...)
}

// start runs a program until the test ends, and shows what it printed if the test fails. The channel is closed when the
// program ends before.
func start(t *testing.T, command *exec.Cmd) (ended <-chan struct{}) {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log")) // a pipe would stay open in what the program starts
	noError(t, err)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	noError(t, command.Start())
	over := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(over)
	}()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		select {
		case <-over:
		case <-time.After(patience):
			_ = command.Process.Kill()
			<-over
		}
		_ = log.Close()
		if t.Failed() {
			t.Logf("%s:\n%s", command.Path, read(t, log.Name()))
		}
	})
	return over
}

// person is somebody at a browser on another machine than the proxy.
type person struct {
	t      *testing.T
	client *http.Client
	site   string // the catalog's address
	token  string
}

// otherMachine is the address from which people come.
const otherMachine = "127.0.0.2"

// newPerson reaches every name at a port of this machine, by HTTP/2 where the proxy speaks it, or by HTTP/1.1 alone.
func newPerson(t *testing.T, site, port string, c certificate, second bool) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	noError(t, err)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(otherMachine)}}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: c.trusted, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: second,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, "127.0.0.1:"+port)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &person{t: t, client: &http.Client{Transport: transport, Jar: jar}, site: site}
}

// ask sends a request and returns the status, the headers and the whole answer.
func (p *person) ask(method, address string, body io.Reader, header http.Header) (*http.Response, []byte) {
	p.t.Helper()
	response := p.open(p.t.Context(), method, address, body, header)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	noError(p.t, err)
	return response, content
}

// open sends a request and returns once the answer begins.
func (p *person) open(ctx context.Context, method, address string, body io.Reader, header http.Header) *http.Response {
	p.t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	noError(p.t, err)
	maps.Copy(request.Header, header)
	if p.token != "" && strings.HasPrefix(address, p.site) {
		request.Header.Set("Authorization", "Bearer "+p.token)
	}
	response, err := p.client.Do(request)
	noError(p.t, err)
	return response
}

// call asks the API and reads the answer into a value.
func (p *person) call(method, path string, body, answer any, header http.Header) {
	p.t.Helper()
	var sent io.Reader = http.NoBody
	header = header.Clone()
	if body != nil {
		content, err := json.Marshal(body)
		noError(p.t, err)
		if header == nil {
			header = http.Header{}
		}
		sent, header["Content-Type"] = bytes.NewReader(content), []string{"application/json"}
	}
	response, content := p.ask(method, p.site+"/api/v1/rf"+path, sent, header)
	if response.StatusCode >= http.StatusMultipleChoices {
		p.t.Fatalf("%s %s: %s %s", method, path, response.Status, content)
	}
	if answer != nil {
		noError(p.t, json.Unmarshal(content, answer))
	}
}

// awaitHealth waits until the server answers at an address, while the program that it needs runs.
func (p *person) awaitHealth(address string, ended <-chan struct{}) {
	p.t.Helper()
	for deadline := time.After(patience); ; {
		request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, address+"/healthz", http.NoBody)
		noError(p.t, err)
		response, err := p.client.Do(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
			err = fmt.Errorf("it answers %s", response.Status)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ended:
			p.t.Fatal(err)
		case <-deadline:
			p.t.Fatal(err)
		}
	}
}

// signIn signs in at the embedded provider of the demo, as the page does.
func (p *person) signIn(email string) {
	p.t.Helper()
	const client, verifier = "data-catalog-portal", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	back := p.site + "/oauth_callback"
	query := url.Values{
		"client_id": {client}, "redirect_uri": {back}, "response_type": {"code"}, "scope": {"openid email"}, "prompt": {"login"}, "state": {"s"}, "nonce": {"n"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "code_challenge_method": {"S256"},
	}
	form, content := p.ask(http.MethodGet, p.site+"/idp/authorize?"+query.Encode(), http.NoBody, nil)
	_, proof, found := strings.Cut(string(content), `name="proof" value="`)
	proof, _, _ = strings.Cut(proof, `"`)
	if !found || !strings.HasPrefix(form.Request.URL.String(), p.site) {
		p.t.Fatalf("no form to sign in at %s: %s\n%s", form.Request.URL, form.Status, content)
	}
	encoded := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {p.site}}
	p.client.CheckRedirect = func(request *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(request.URL.String(), back) {
			return http.ErrUseLastResponse
		}
		return nil
	}
	sent, content := p.ask(http.MethodPost, form.Request.URL.String(), strings.NewReader(url.Values{"proof": {proof}, "email": {email}}.Encode()), encoded)
	target, err := sent.Location()
	if err != nil {
		p.t.Fatalf("signing in is answered with %s\n%s", sent.Status, content)
	}
	exchange := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client}, "redirect_uri": {back}, "code": {target.Query().Get("code")}, "code_verifier": {verifier},
	}
	answer, content := p.ask(http.MethodPost, p.site+"/idp/token", strings.NewReader(exchange.Encode()), encoded)
	var tokens struct {
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal(content, &tokens); err != nil || tokens.Access == "" {
		p.t.Fatalf("no token: %s %s", answer.Status, content)
	}
	p.token = tokens.Access
}

// started is a session that somebody started, and the address of its origin.
type started struct{ ID, OpenURL string }

func (s started) origin(t *testing.T) string {
	t.Helper()
	address, err := url.Parse(s.OpenURL)
	noError(t, err)
	return address.Scheme + "://" + address.Host
}

// launches lets somebody start a session of the demo's first notebook and enter it.
func (p *person) launches() started {
	p.t.Helper()
	var found []struct{ ID string }
	p.call(http.MethodGet, "/resources/public/search?type=NOTEBOOK&name=First+steps", nil, &found, nil)
	if len(found) == 0 {
		p.t.Fatal("the demo has no First steps")
	}
	var one started
	p.call(http.MethodPost, "/sessions", map[string]string{"resourceId": found[0].ID}, &one, nil)
	if entered, content := p.ask(http.MethodGet, one.OpenURL, http.NoBody, nil); entered.StatusCode != http.StatusOK {
		p.t.Fatalf("entering the session: %s %s", entered.Status, content)
	}
	return one
}

// removeLater ends and deletes a session with its work when the test ends.
func (p *person) removeLater(s started) {
	p.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodDelete, p.site+"/api/v1/rf/sessions/"+s.ID+"?now=true", http.NoBody)
		if err == nil {
			request.Header.Set("Authorization", "Bearer "+p.token)
			var response *http.Response
			if response, err = p.client.Do(request); err == nil {
				err = response.Body.Close()
			}
		}
		if err != nil {
			p.t.Error(err)
		}
	})
}

func isRoot() bool { return os.Geteuid() == 0 }
