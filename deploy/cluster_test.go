package deploy_test

import (
	"bytes"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"cairn/internal/foundation/freeports"
	"cairn/internal/sessions/engine/jupyterhub/realcluster"
)

// TestThoroughClusterAcceptsManifests sends everything that we ship for Kubernetes to a real API server, which checks it as if it
// were to be made: every field, and what else it knows.
func TestThoroughClusterAcceptsManifests(t *testing.T) {
	cluster := realcluster.New(t)
	const namespace = "shop"
	cluster.MakeNamespace(namespace)
	apply := func(t *testing.T, text string) (count int) {
		t.Helper()
		for document := range strings.SplitSeq("\n"+text, "\n---") {
			if one := identity(t, document); one.Kind != "" {
				count++
				if err := cluster.Apply(namespace, one.APIVersion, one.Kind, one.Metadata.Name, document); err != nil {
					t.Error(err)
				}
			}
		}
		return count
	}

	t.Run("the chart", func(t *testing.T) {
		besides, err := filepath.Glob("../tools/helm/testdata/besides/*.yaml")
		noError(t, err)
		if len(besides) == 0 {
			t.Error("there are no variants")
		}
		const least = "../tools/helm/testdata/least.yaml"
		variants := [][]string{{least}, {"../tools/helm/testdata/every.yaml"}}
		for _, one := range besides {
			variants = append(variants, []string{least, one})
		}
		for _, values := range variants {
			t.Run(filepath.Base(values[len(values)-1]), func(t *testing.T) {
				if got := apply(t, template(t, values)); got < 3 {
					t.Errorf("the chart makes %d objects", got)
				}
			})
		}
		folder := t.TempDir()
		for name, text := range map[string]string{"agent-least.yaml": agentLeast, "agent-every.yaml": agentEvery} {
			file := filepath.Join(folder, name)
			write(t, file, text, 0o600)
			for _, values := range [][]string{{least, file}, {"../tools/helm/testdata/every.yaml", file}} {
				t.Run(name+" over "+filepath.Base(values[0]), func(t *testing.T) {
					made := template(t, values)
					if got, want := apply(t, made), apply(t, template(t, values[:1]))+3; got != want {
						t.Errorf("the chart makes %d objects, not %d:\n%s", got, want, made)
					}
				})
			}
		}
	})

	t.Run("the documentation", func(t *testing.T) {
		pages, err := filepath.Glob("../docs/*.md")
		noError(t, err)
		found, named := 0, 0
		for _, page := range pages {
			text := read(t, page)
			named += strings.Count(text, "apiVersion:")
			for _, here := range regexp.MustCompile(`(?s)( *)kubectl apply -f - <<'EOF'\n(.*?)\n *EOF\n`).FindAllStringSubmatch(text, -1) {
				found += apply(t, strings.ReplaceAll("\n"+here[2], "\n"+here[1], "\n"))
			}
		}
		if found != named || found == 0 {
			t.Errorf("%d manifests were tried, and the pages have %d", found, named)
		}
	})

	t.Run("the place for runs", func(t *testing.T) {
		if got := apply(t, read(t, "jupyterhub/runs.yaml")); got != 2 {
			t.Errorf("%d objects", got)
		}
	})

	// Where Zero to JupyterHub puts the parts of the values that are Kubernetes' own.
	t.Run("the values of the hub", func(t *testing.T) {
		var values map[string]any
		noError(t, yaml.Unmarshal([]byte(read(t, "jupyterhub/values.yaml")), &values))
		at := func(path string) any {
			var here any = values
			for key := range strings.SplitSeq(path, ".") {
				here = here.(map[string]any)[key]
			}
			if here == nil {
				t.Fatalf("the values have no %s", path)
			}
			return here
		}
		variables := []any{}
		for name, value := range at("hub.extraEnv").(map[string]any) {
			variable := map[string]any{"name": name, "value": value}
			if source, more := value.(map[string]any); more {
				variable = source
				variable["name"] = name
			}
			variables = append(variables, variable)
		}
		type object = map[string]any
		for _, one := range []struct {
			version, kind string
			spec          object
		}{
			{"v1", "Pod", object{"volumes": at("hub.extraVolumes"), "containers": []object{
				{"name": "hub", "image": "hub", "env": variables, "volumeMounts": at("hub.extraVolumeMounts"), "resources": at("hub.resources")},
				{"name": "chp", "image": "chp", "resources": at("proxy.chp.resources")},
			}}},
			{"v1", "Service", object{"type": at("proxy.service.type"), "ports": at("hub.service.extraPorts")}},
			{"networking.k8s.io/v1", "NetworkPolicy", object{"podSelector": object{}, "ingress": at("hub.networkPolicy.ingress")}},
		} {
			written, err := yaml.Marshal(object{"apiVersion": one.version, "kind": one.kind, "metadata": object{"name": "hub"}, "spec": one.spec})
			noError(t, err)
			if got := apply(t, string(written)); got != 1 {
				t.Errorf("%d objects", got)
			}
		}
	})

	// What must be refused, so that what was accepted says something.
	service := func(spec string) string {
		return "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: " + spec + "\n"
	}
	if err := cluster.Apply(namespace, "v1", "Service", "x", service("{ports: [{port: 80}]}")); err != nil {
		t.Error(err)
	}
	for _, one := range []struct{ version, kind, manifest, says string }{
		{"v1", "Service", service("{ports: [{port: 80}], selectors: {a: b}}"), "spec.selectors"},
		{"v1", "Service", service("{ports: [{port: 70000}]}"), "spec.ports[0].port"},
		{"v1", "Service", service("{ports: [{port: 80}], ports: [{port: 81}]}"), "already set"},
		{"v1", "Claim", "apiVersion: v1\nkind: Claim\nmetadata: {name: x}\n", "no kind Claim"},
		{"policy/v1beta1", "PodDisruptionBudget", "", "no policy/v1beta1"},
	} {
		if err := cluster.Apply(namespace, one.version, one.kind, "x", one.manifest); err == nil || !strings.Contains(err.Error(), one.says) {
			t.Errorf("%s: %v, want %s", one.manifest, err, one.says)
		}
	}
	if left := cluster.Must("GET", "/api/v1/namespaces/"+namespace+"/services", nil)["items"].([]any); len(left) != 0 {
		t.Errorf("a dry run made %v", left)
	}
}

// Values with which the chart runs the agent too: what one has to set, and everything that there is.
const (
	agentLeast = "agent: {enabled: true}\n"
	agentEvery = `
agent:
  enabled: true
  image: {repository: forty.example.org/hub, tag: v41, pullPolicy: Always, pullSecrets: [forty-two]}
  storage: {workClaim: forty-three, dataClaim: forty-four, tmpSize: 45Mi}
  resources: {requests: {cpu: 46m, memory: 47Mi}, limits: {cpu: "48", memory: 49Gi}}
  nodeSelector: {fifty: a}
  tolerations: [{key: fifty-one, operator: Exists}]
  extraEnv: [{name: CAIRN_VERSIONS_QUOTA, value: "5200000000000"}, {name: CAIRN_KEPT_BYTES, value: "53"}]
  extraVolumes: [{name: fifty-four, emptyDir: {}}]
  extraVolumeMounts: [{name: fifty-four, mountPath: /fifty-five}]
`
)

// workload has the parts of a deployment that the tests look at.
type workload struct {
	Spec struct {
		Replicas int
		Strategy struct{ Type string }
		Selector struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		}
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				AutomountServiceAccountToken *bool          `yaml:"automountServiceAccountToken"`
				SecurityContext              map[string]any `yaml:"securityContext"`
				Containers                   []struct {
					Command         []string
					SecurityContext map[string]any `yaml:"securityContext"`
					Env             []struct {
						Name, Value string
						ValueFrom   struct {
							SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
						} `yaml:"valueFrom"`
					}
				}
			}
		}
	}
}

// TestThoroughClusterAgentOfChart checks what an API server can't know: that the agent starts with the environment that the chart
// gives it, alone and with few rights, and that nothing of the catalog's finds its pod.
func TestThoroughClusterAgentOfChart(t *testing.T) {
	const least = "../tools/helm/testdata/least.yaml"
	every := filepath.Join(t.TempDir(), "every.yaml")
	write(t, every, agentEvery, 0o600)
	text := template(t, []string{least, every})

	// Every value is used.
	var given any
	noError(t, yaml.Unmarshal([]byte(agentEvery), &given))
	var look func(value any)
	look = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, one := range value {
				look(one)
			}
		case []any:
			for _, one := range value {
				look(one)
			}
		case string:
			if !strings.Contains(text, value) {
				t.Errorf("%s is nowhere in what the chart makes", value)
			}
		}
	}
	look(given)
	known := struct{ Agent map[string]any }{}
	noError(t, yaml.Unmarshal([]byte(read(t, "helm/cairn/values.yaml")), &known))
	for key := range known.Agent {
		if _, set := given.(map[string]any)["agent"].(map[string]any)[key]; !set {
			t.Errorf("the test doesn't set agent.%s", key)
		}
	}

	found := map[string]string{}
	for document := range strings.SplitSeq("\n"+text, "\n---") {
		one := identity(t, document)
		found[one.Kind+" "+one.Metadata.Name] = document
	}
	var catalog, agent workload
	noError(t, yaml.Unmarshal([]byte(found["Deployment shop-cairn"]), &catalog))
	noError(t, yaml.Unmarshal([]byte(found["Deployment shop-cairn-agent"]), &agent))
	for one, other := range map[*workload]*workload{&catalog: &agent, &agent: &catalog} {
		if labels := one.Spec.Template.Metadata.Labels; !selects(one.Spec.Selector.MatchLabels, labels) || selects(other.Spec.Selector.MatchLabels, labels) {
			t.Errorf("a pod has the labels %v", labels)
		}
	}
	for _, kind := range []string{"Service", "NetworkPolicy"} {
		var object struct {
			Spec struct {
				Selector    map[string]string
				PodSelector struct {
					MatchLabels map[string]string `yaml:"matchLabels"`
				} `yaml:"podSelector"`
			}
		}
		noError(t, yaml.Unmarshal([]byte(found[kind+" shop-cairn-agent"]), &object))
		selector := object.Spec.Selector
		if kind == "NetworkPolicy" {
			selector = object.Spec.PodSelector.MatchLabels
		}
		if !maps.Equal(selector, agent.Spec.Selector.MatchLabels) {
			t.Errorf("the %s selects %v", kind, selector)
		}
	}
	if agent.Spec.Replicas != 1 || agent.Spec.Strategy.Type != "Recreate" {
		t.Errorf("there may be two agents: %d, %s", agent.Spec.Replicas, agent.Spec.Strategy.Type)
	}
	pod := agent.Spec.Template.Spec
	box := pod.Containers[0]
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken ||
		pod.SecurityContext["runAsUser"] != 1000 || pod.SecurityContext["runAsNonRoot"] != true ||
		box.SecurityContext["allowPrivilegeEscalation"] != false || box.SecurityContext["readOnlyRootFilesystem"] != true {
		t.Errorf("the agent has too many rights: %v %v", pod.SecurityContext, box.SecurityContext)
	}

	// The real program starts with it. Folders and the port are others here.
	port, err := freeports.Find(t.Context(), 1)
	noError(t, err)
	root, address := t.TempDir(), net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	command := exec.CommandContext(t.Context(), cairn(t), box.Command[1:]...)
	command.Env = []string{"PATH=/usr/bin:/bin"}
	said := &bytes.Buffer{}
	command.Stderr = said
	for _, variable := range box.Env {
		value := strings.ReplaceAll(variable.Value, ":10101", ":"+strconv.Itoa(port))
		switch variable.Name {
		case "CAIRN_ROOT", "CAIRN_DATA_ROOT":
			value = root
		case "CAIRN_TOKEN":
			if from := variable.ValueFrom.SecretKeyRef; from.Name != "keys" || from.Key != "hub-token" {
				t.Errorf("the token is from %v", from)
			}
			value = "the-token"
		}
		command.Env = append(command.Env, variable.Name+"="+value)
	}
	noError(t, command.Start())
	late := time.After(30 * time.Second)
	for waiting := true; waiting; {
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			noError(t, connection.Close())
			break
		}
		select {
		case <-late:
			t.Errorf("the agent doesn't listen: %v", err)
			waiting = false
		case <-time.After(50 * time.Millisecond):
		}
	}
	noError(t, command.Process.Signal(syscall.SIGTERM))
	if err := command.Wait(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	if _, err := os.Stat(filepath.Join(root, ".agent.lock")); err != nil {
		t.Error(err)
	}
}

// selects reports whether a selector matches these labels.
func selects(selector, labels map[string]string) bool {
	for name, value := range selector {
		if labels[name] != value {
			return false
		}
	}
	return true
}

type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
}

func identity(t *testing.T, document string) (one manifest) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(document), &one); err != nil {
		t.Fatalf("%v\n%s", err, document)
	}
	return one
}

// template returns what the chart makes of files of values.
func template(t *testing.T, files []string) string {
	t.Helper()
	arguments := []string{"template", "shop", "helm/cairn", "--kube-version", "1.34.3"}
	for _, file := range files {
		arguments = append(arguments, "--values", file)
	}
	command := exec.CommandContext(t.Context(), realcluster.Tool(t, "helm"), arguments...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir())
	made, err := command.Output()
	noError(t, err)
	return string(made)
}
