package realcluster

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"cairn/internal/sessions/engine/jupyterhub/realhub"
)

// makePlaceForRuns makes what a file has, and lets the hub run entries, as the documentation says.
func (c *Cluster) makePlaceForRuns(file string, values Object) {
	c.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		c.Fatal(err)
	}
	objects := yaml.NewDecoder(bytes.NewReader(content))
	for _, path := range []string{"/apis/scheduling.k8s.io/v1/priorityclasses", "/apis/networking.k8s.io/v1/namespaces/" + Namespace + "/networkpolicies"} {
		var one Object
		if err := objects.Decode(&one); err != nil {
			c.Fatal(err)
		}
		c.Must(http.MethodPost, path, one)
	}
	settings := values
	for _, name := range []string{"hub", "config", "Cairn"} {
		inner, ok := settings[name].(Object)
		if !ok {
			c.Fatalf("the values have no %s", name)
		}
		settings = inner
	}
	settings["run_priority"] = "cairn-runs"
}

// StartHub starts a JupyterHub with the values that operators get, whose sessions are pods of this cluster. It may do in the cluster
// what Zero to JupyterHub lets it do, and no more.
func (c *Cluster) StartHub(environment ...string) *realhub.Hub {
	c.Helper()
	const rights = "/apis/rbac.authorization.k8s.io/v1/namespaces/" + Namespace
	role := object("rbac.authorization.k8s.io/v1", "Role", "hub")
	role["rules"] = []Object{
		{"apiGroups": []string{""}, "resources": []string{"pods", "persistentvolumeclaims", "secrets", "services"}, "verbs": []string{"get", "watch", "list", "create", "delete"}},
		{"apiGroups": []string{""}, "resources": []string{"events"}, "verbs": []string{"get", "watch", "list"}},
	}
	c.Must(http.MethodPost, rights+"/roles", role)
	binding := object("rbac.authorization.k8s.io/v1", "RoleBinding", "hub")
	binding["roleRef"] = Object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "hub"}
	binding["subjects"] = []Object{{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "hub"}}
	c.Must(http.MethodPost, rights+"/rolebindings", binding)

	deploy := realhub.Deploy(c)
	text, err := os.ReadFile(filepath.Join(deploy, "values.yaml"))
	if err != nil {
		c.Fatal(err)
	}
	var values Object
	if err := yaml.Unmarshal(text, &values); err != nil {
		c.Fatal(err)
	}
	c.makePlaceForRuns(filepath.Join(deploy, "runs.yaml"), values)
	written, err := json.Marshal(values)
	if err != nil {
		c.Fatal(err)
	}
	c.write("values.json", string(written))
	if err := os.Chmod(filepath.Dir(c.Folder), 0o711); err != nil { // the hub isn't root
		c.Fatal(err)
	}
	return realhub.NewOf(c, realhub.Kind{
		Config:  filepath.Join(Repository(c), "internal/sessions/engine/jupyterhub/realcluster/hub/jupyterhub_config.py"),
		Account: 1000,
		Environment: append([]string{
			"VALUES=" + c.path("values.json"), "DEPLOY=" + deploy, "CLUSTER_URL=" + c.URL, "CLUSTER_TOKEN=" + Hub,
			"CLUSTER_AUTHORITY=" + c.path("ca.pem"), "CLUSTER_NAMESPACE=" + Namespace,
		}, environment...),
	})
}
