// Package helm_test checks the chart in deploy/helm with Helm itself and with the types of Kubernetes. It's a module of its
// own, so that their dependencies never mix with the product's.
package helm_test

import (
	"bytes"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const chart = "../../deploy/helm/cairn"

// template runs helm template with values from texts, later ones over earlier ones.
func template(t *testing.T, values ...string) (out string, err error) {
	t.Helper()
	arguments := []string{"template", "shop", chart, "--kube-version", "1.30.0"}
	for _, text := range values {
		file := filepath.Join(t.TempDir(), "values.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, "--values", file)
	}
	command := exec.CommandContext(t.Context(), "../../bin/tools/helm", arguments...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir())
	var said bytes.Buffer
	command.Stderr = &said
	output, err := command.Output()
	if err != nil {
		return said.String(), err
	}
	return string(output), nil
}

// without and logs are values besides least. The API server of `make test-all PART=cluster` gets what the chart makes of each file.
var (
	//go:embed testdata/besides/without.yaml
	without string
	//go:embed testdata/besides/log.yaml
	logs string
)

// objects are what a chart makes, as Kubernetes reads them: a field that there isn't is an error.
type objects struct {
	deployment apps.Deployment
	service    core.Service
	config     core.ConfigMap
	account    *core.ServiceAccount
	ingress    *networking.Ingress
	budget     *policy.PodDisruptionBudget
	access     *networking.NetworkPolicy
}

func rendered(t *testing.T, values ...string) (found objects, text string) {
	t.Helper()
	text, err := template(t, values...)
	if err != nil {
		t.Fatal(text)
	}
	for document := range strings.SplitSeq(text, "\n---\n") {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			t.Fatal(err)
		}
		var into any
		switch kind.Kind {
		case "Deployment":
			into = &found.deployment
		case "Service":
			into = &found.service
		case "ConfigMap":
			into = &found.config
		case "ServiceAccount":
			found.account = &core.ServiceAccount{}
			into = found.account
		case "Ingress":
			found.ingress = &networking.Ingress{}
			into = found.ingress
		case "PodDisruptionBudget":
			found.budget = &policy.PodDisruptionBudget{}
			into = found.budget
		case "NetworkPolicy":
			found.access = &networking.NetworkPolicy{}
			into = found.access
		default:
			t.Fatalf("the chart makes a %q:\n%s", kind.Kind, document)
		}
		if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
	}
	return found, text
}

// least is what everybody has to set.
//
//go:embed testdata/least.yaml
var least string

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestTheChartWithItsDefaults(t *testing.T) {
	found, _ := rendered(t, least)
	pod := found.deployment.Spec.Template
	box := pod.Spec.Containers[0]

	// Everything that selects pods finds these, and nothing else.
	selector := map[string]string{"app.kubernetes.io/name": "cairn", "app.kubernetes.io/instance": "shop"}
	equal(t, "the deployment's selector", found.deployment.Spec.Selector.MatchLabels, selector)
	equal(t, "the service's selector", found.service.Spec.Selector, selector)
	equal(t, "the budget's selector", found.budget.Spec.Selector.MatchLabels, selector)
	equal(t, "the spread's selector", pod.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels, selector)
	for name, value := range selector {
		equal(t, "the pod's label "+name, pod.Labels[name], value)
	}

	// Probes ask for what there is, on a port that there is.
	ports := map[string]int32{}
	for _, port := range box.Ports {
		ports[port.Name] = port.ContainerPort
	}
	equal(t, "the ports", ports, map[string]int32{"page": 8080, "sessions": 8081})
	for path, probe := range map[string]*core.Probe{"/healthz": box.LivenessProbe, "/readyz": box.ReadinessProbe} {
		equal(t, "the path of a probe", probe.HTTPGet.Path, path)
		equal(t, "the port of a probe", probe.HTTPGet.Port.StrVal, "page")
	}
	equal(t, "the path of the first probe", box.StartupProbe.HTTPGet.Path, "/healthz")
	if least := box.StartupProbe.PeriodSeconds * box.StartupProbe.FailureThreshold; least < 600 {
		t.Errorf("a start may take %d seconds", least)
	}

	// A replica is away before it ends: the others learn of that within the notice, and it has time for the rest.
	if notice := box.ReadinessProbe.PeriodSeconds * (box.ReadinessProbe.FailureThreshold + 1); notice > 10 {
		t.Errorf("readiness takes %d seconds, and the notice is 10", notice)
	}
	equal(t, "the grace period", *pod.Spec.TerminationGracePeriodSeconds, int64(65))
	equal(t, "the replicas", *found.deployment.Spec.Replicas, int32(2))
	equal(t, "what may be away", found.deployment.Spec.Strategy.RollingUpdate.MaxUnavailable.IntVal, int32(0))

	// Nothing more than it needs.
	equal(t, "root", *pod.Spec.SecurityContext.RunAsNonRoot, true)
	equal(t, "the account", *pod.Spec.SecurityContext.RunAsUser, int64(65532))
	equal(t, "the profile", pod.Spec.SecurityContext.SeccompProfile.Type, core.SeccompProfileTypeRuntimeDefault)
	equal(t, "the root file system", *box.SecurityContext.ReadOnlyRootFilesystem, true)
	equal(t, "more privileges", *box.SecurityContext.AllowPrivilegeEscalation, false)
	equal(t, "what is dropped", box.SecurityContext.Capabilities.Drop, []core.Capability{"ALL"})
	equal(t, "the cluster's token", *pod.Spec.AutomountServiceAccountToken, false)
	equal(t, "the pod's account", pod.Spec.ServiceAccountName, found.account.Name)
	if found.access != nil {
		t.Error("there is a network policy that nobody asked for")
	}

	// Both hosts lead to their ports of the service.
	backends := map[string]string{}
	for _, rule := range found.ingress.Spec.Rules {
		service := rule.HTTP.Paths[0].Backend.Service
		equal(t, "the service of "+rule.Host, service.Name, found.service.Name)
		backends[rule.Host] = service.Port.Name
	}
	equal(t, "the hosts", backends, map[string]string{"catalog.example.org": "page", "*.run.example.org": "sessions"})
	for _, port := range found.service.Spec.Ports {
		equal(t, "where the service leads", port.TargetPort.StrVal, port.Name)
	}

	// Secrets are files of the secret, and nowhere else.
	mounted := map[string]string{}
	for _, mount := range box.VolumeMounts {
		mounted[mount.Name] = mount.MountPath
	}
	for _, volume := range pod.Spec.Volumes {
		if volume.Secret != nil {
			equal(t, "the secret", volume.Secret.SecretName, "keys")
			equal(t, "where secrets are", mounted[volume.Name], "/run/secrets/cairn")
			equal(t, "the keys", len(volume.Secret.Items), 2)
		}
	}
	for _, variable := range box.Env {
		if strings.HasSuffix(variable.Name, "_FILE") {
			equal(t, variable.Name, variable.Value, "/run/secrets/cairn/database-url")
		}
	}
}

// The server accepts what the chart writes, given a database and a token that are there.
func TestTheServerAcceptsTheConfigurationOfTheChart(t *testing.T) {
	found, _ := rendered(t, least)
	folder := t.TempDir()
	token, config := filepath.Join(folder, "token"), filepath.Join(folder, "cairn.yaml")
	text := strings.ReplaceAll(found.config.Data["cairn.yaml"], "/run/secrets/cairn/hub-token", token)
	for path, content := range map[string]string{token: "secret", config: text} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "../../bin/cairn", "config", "check", "--config", config,
		"--data", filepath.Join(folder, "data"), "--listen", "127.0.0.1:0", "--session-listen", "127.0.0.1:0")
	if said, err := command.CombinedOutput(); err != nil || !strings.Contains(string(said), "The configuration is fine.") {
		t.Errorf("%v: %s\n%s", err, said, text)
	}
}

// every sets every value that there is, to something that is found again in what the chart makes.
//
//go:embed testdata/every.yaml
var every string

// only are values that choose among others, and aren't written anywhere themselves.
var only = map[string]bool{"enabled": true, "create": true}

func TestEveryValueOfTheChartIsUsed(t *testing.T) {
	found, text := rendered(t, every)
	var given, known map[string]any
	defaults, err := os.ReadFile(filepath.Join(chart, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for source, into := range map[string]*map[string]any{every: &given, string(defaults): &known} {
		if err := yaml.Unmarshal([]byte(source), into); err != nil {
			t.Fatal(err)
		}
	}
	for key := range known {
		if _, set := given[key]; !set {
			t.Errorf("the test doesn't set %s", key)
		}
	}
	var look func(key string, value any)
	look = func(key string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for inner, one := range value {
				look(inner, one)
			}
		case []any:
			for _, one := range value {
				look(key, one)
			}
		default:
			written, err := yaml.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			if !only[key] && !strings.Contains(text, strings.Trim(strings.TrimSpace(string(written)), `"'`)) {
				t.Errorf("%s: %v is nowhere in what the chart makes", key, value)
			}
		}
	}
	look("", given)
	equal(t, "the grace period", *found.deployment.Spec.Template.Spec.TerminationGracePeriodSeconds, int64(31+55))
	equal(t, "where the policy applies", found.access.Spec.PodSelector.MatchLabels, found.deployment.Spec.Selector.MatchLabels)
	equal(t, "the ports of the policy", len(found.access.Spec.Ingress[0].Ports), 2)
	if !strings.Contains(found.config.Data["cairn.yaml"], "site: /etc/cairn-site/site.yaml") {
		t.Errorf("the site file isn't used:\n%s", found.config.Data["cairn.yaml"])
	}

	small, _ := rendered(t, least, without)
	if small.ingress != nil || small.budget != nil || small.account != nil || small.deployment.Spec.Template.Spec.ServiceAccountName != "default" {
		t.Errorf("what was turned off is there: %+v", without)
	}
	equal(t, "an empty list in the policy", small.access.Spec.Ingress[0].From, []networking.NetworkPolicyPeer{{NamespaceSelector: &meta.LabelSelector{}}})
	other, _ := rendered(t, least, logs)
	first, _ := rendered(t, least)
	const checksum = "checksum/config"
	if other.deployment.Spec.Template.Annotations[checksum] == first.deployment.Spec.Template.Annotations[checksum] {
		t.Error("another configuration makes no new pods")
	}
}

func TestTheChartRefusesBadValues(t *testing.T) {
	for values, says := range map[string]string{
		"publicHost: \"\"":                                    "/publicHost",
		"publicHost: https://catalog.example.org":             "/publicHost",
		"sessionHost: \"*.run.example.org\"":                  "/sessionHost",
		"existingSecret: \"\"":                                "/existingSecret",
		"replicaCount: 0":                                     "/replicaCount",
		"replicaCount: two":                                   "/replicaCount",
		"replicas: 2":                                         "replicas",
		"image: {pullPolicy: Sometimes}":                      "/image/pullPolicy",
		"image: {digest: x}":                                  "digest",
		"shutdownNotice: 301":                                 "/shutdownNotice",
		"trustedProxies: []":                                  "/trustedProxies",
		"trustedProxies: [10.0.0.1]":                          "/trustedProxies/0",
		"config: {listen: \":80\"}":                           "/config/listen",
		"config: {database_url: \"postgres://u:p@db/cairn\"}": "/config/database_url",
		"config: {demo: true}":                                "/config/demo",
		"config: {oidc: {issuer: \"\"}}":                      "/config/oidc/issuer",
		"config: {sessions: {engines: []}}":                   "/config/sessions/engines",
		"config: {sessions: {engines: [{kind: local, name: a, url: \"http://x\"}]}}":                "/config/sessions/engines/0/kind",
		"config: {sessions: {engines: [{kind: jupyterhub, name: a, url: \"http://x\", token: t}]}}": "/config/sessions/engines/0/token",
		"service: {type: ExternalName}":                           "/service/type",
		"podDisruptionBudget: {enabled: true, maxUnavailable: 0}": "/podDisruptionBudget/maxUnavailable",
		"ingress: {tls: {secret: x}}":                             "/ingress/tls",
		"dataSize: big":                                           "/dataSize",
	} {
		if said, err := template(t, least, values); err == nil || !strings.Contains(said, says) {
			t.Errorf("%s: %v %s, want %s", values, err, said, says)
		}
	}
}
