package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

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
