// Package realcluster starts the parts of Kubernetes that need no containers, for tests: etcd, the API server and the scheduler
// of a release, as `make test-all PART=cluster` builds them, with one machine that stands for all others (Machine).
package realcluster

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
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/foundation/freeports"
	"cairn/internal/sessions/engine/jupyterhub/realhub"
)

// Namespace is where sessions are; Administrator and Hub are the tokens of who asks.
const (
	Namespace     = "cairn"
	Administrator = "the-token-of-the-administrator"
	Hub           = "the-token-of-the-hub"
)

// Cluster is a running API server with a scheduler.
type Cluster struct {
	testing.TB

	Folder string // holds "ca.pem", the certificate of the API server
	URL    string
	client *http.Client
	kinds  map[string][]resource // by apiVersion
}

// New starts a cluster on free ports of the loopback address; it ends with the test and leaves nothing behind.
func New(t testing.TB) *Cluster {
	t.Helper()
	port, err := freeports.Find(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{TB: t, Folder: t.TempDir(), URL: "https://127.0.0.1:" + strconv.Itoa(port), kinds: map[string][]resource{}}
	c.certify()
	c.write("tokens.csv", Administrator+",administrator,1,system:masters\n"+Hub+",hub,2\n")
	c.write("scheduler.yaml", fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: it,
contexts: [{name: it, context: {cluster: it, user: it}}], users: [{name: it, user: {token: %s}}],
clusters: [{name: it, cluster: {server: %q, certificate-authority: %q}}]}`, Administrator, c.URL, c.path("ca.pem")))

	store, peers := "http://127.0.0.1:"+strconv.Itoa(port+1), "http://127.0.0.1:"+strconv.Itoa(port+2)
	c.run("etcd", "--data-dir="+c.path("etcd"), "--listen-client-urls="+store, "--advertise-client-urls="+store,
		"--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers, "--unsafe-no-fsync")
	c.run("kube-apiserver", "--etcd-servers="+store, "--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(port),
		"--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.0.0.0/24", "--authorization-mode=RBAC",
		"--anonymous-auth=false", "--token-auth-file="+c.path("tokens.csv"), "--tls-cert-file="+c.path("ca.pem"),
		"--tls-private-key-file="+c.path("key.pem"), "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file="+c.path("key.pem"), "--service-account-key-file="+c.path("key.pem"), "--profiling=false")
	c.Eventually("the API server is ready", func() bool {
		status, _ := c.Ask(http.MethodGet, "/readyz", nil, nil)
		return status == http.StatusOK
	})
	c.run("kube-scheduler", "--kubeconfig="+c.path("scheduler.yaml"), "--secure-port=0", "--leader-elect=false", "--authentication-skip-lookup")
	c.MakeNamespace(Namespace)
	return c
}

// MakeNamespace makes a namespace in which pods can be.
func (c *Cluster) MakeNamespace(name string) {
	c.Helper()
	c.Must(http.MethodPost, "/api/v1/namespaces", object("v1", "Namespace", name))
	// The controllers that aren't here would make it.
	c.Must(http.MethodPost, "/api/v1/namespaces/"+name+"/serviceaccounts", object("v1", "ServiceAccount", "default"))
}

func (c *Cluster) path(name string) string { return filepath.Join(c.Folder, name) }

func (c *Cluster) write(name, content string) {
	c.Helper()
	if err := os.WriteFile(c.path(name), []byte(content), 0o644); err != nil {
		c.Fatal(err)
	}
}

// certify makes the certificate of the API server, which is its own authority.
func (c *Cluster) certify() {
	c.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		c.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kubernetes"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		c.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		c.Fatal(err)
	}
	shown := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	c.write("ca.pem", string(shown))
	c.write("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})))
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(shown)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS13}}
	c.client = &http.Client{Transport: transport}
	c.Cleanup(transport.CloseIdleConnections)
}

// run starts a program of the release; it ends with the test.
func (c *Cluster) run(name string, arguments ...string) {
	c.Helper()
	program := Tool(c, name)
	log, err := os.Create(c.path(name + ".log"))
	if err != nil {
		c.Fatal(err)
	}
	defer log.Close()
	command := exec.Command(program, arguments...)
	command.Dir, command.Env, command.Stdout, command.Stderr = c.Folder, []string{"HOME=" + c.Folder}, log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // also if the tests are stopped
	if err := command.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		if c.Failed() {
			said, _ := os.ReadFile(log.Name())
			c.Logf("the end of the log of %s:\n%s", name, said[max(0, len(said)-3000):])
		}
		_ = command.Process.Signal(syscall.SIGKILL)
		_ = command.Wait()
	})
}

// Tool returns the path of a program in bin/tools.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(Repository(t), "bin", "tools", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; make it with: make bin/tools/%s", err, name)
	}
	return path
}

// Repository is the folder of the repository.
func Repository(t testing.TB) string {
	t.Helper()
	return filepath.Join(realhub.Deploy(t), "..", "..")
}

// Eventually waits for a condition, a minute at most.
func (c *Cluster) Eventually(what string, holds func() bool) {
	c.Helper()
	late := time.After(time.Minute)
	for !holds() {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-late:
			c.Fatalf("%s: not after a minute", what)
		}
	}
}

// Object is what the API server tells and is told.
type Object = map[string]any

func object(version, kind, name string) Object {
	return Object{"apiVersion": version, "kind": kind, "metadata": Object{"name": name}}
}

// Ask asks the API server as its administrator; the answer is decoded into receive if that isn't nil.
func (c *Cluster) Ask(method, path string, send, receive any) (int, string) {
	c.Helper()
	body, err := json.Marshal(send)
	if err != nil {
		c.Fatal(err)
	}
	kind := "application/json"
	if method == http.MethodPatch {
		kind = "application/merge-patch+json"
	}
	status, text := c.exchange(method, path, kind, body)
	if receive != nil && status < 300 {
		if err := json.Unmarshal([]byte(text), receive); err != nil {
			c.Fatalf("%s %s: %v\n%s", method, path, err, text)
		}
	}
	return status, text
}

// Must is Ask for what has to succeed.
func (c *Cluster) Must(method, path string, send any) Object {
	c.Helper()
	var told Object
	if status, body := c.Ask(method, path, send, &told); status >= 300 {
		c.Fatalf("%s %s: %d %s", method, path, status, body)
	}
	return told
}

func (c *Cluster) exchange(method, path, kind string, body []byte) (int, string) {
	c.Helper()
	response, err := c.send(context.Background(), method, path, kind, body) // also when the test is over
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(content)
}

func (c *Cluster) send(ctx context.Context, method, path, kind string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+Administrator)
	request.Header.Set("Content-Type", kind)
	return c.client.Do(request)
}

// resource is a kind of objects, as the API server tells it.
type resource struct {
	Name       string
	Kind       string
	Namespaced bool
}

// Apply sends a manifest for a server-side apply that changes nothing, with every field checked: in YAML, as it was written.
func (c *Cluster) Apply(namespace, version, kind, name, manifest string) error {
	c.Helper()
	root := "/apis/" + version
	if !strings.Contains(version, "/") {
		root = "/api/" + version
	}
	if _, known := c.kinds[version]; !known {
		var list struct{ Resources []resource }
		if status, body := c.Ask(http.MethodGet, root, nil, &list); status != http.StatusOK {
			return fmt.Errorf("there is no %s: %d %s", version, status, body)
		}
		c.kinds[version] = list.Resources
	}
	for _, one := range c.kinds[version] {
		if one.Kind != kind || strings.Contains(one.Name, "/") {
			continue
		}
		path := root
		if one.Namespaced {
			path += "/namespaces/" + namespace
		}
		path += "/" + one.Name + "/" + name + "?dryRun=All&fieldManager=cairn&fieldValidation=Strict"
		if status, body := c.exchange(http.MethodPatch, path, "application/apply-patch+yaml", []byte(manifest)); status >= 300 {
			return fmt.Errorf("%s %s is refused: %d %s", kind, name, status, body)
		}
		return nil
	}
	return fmt.Errorf("there is no kind %s in %s", kind, version)
}
