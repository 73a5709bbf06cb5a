package jupyterhub_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/jupyterhub/realcluster"
)

const podsOfSessions = "/api/v1/namespaces/" + realcluster.Namespace + "/pods"

// onCluster is an engine on a hub whose sessions are pods.
type onCluster struct {
	*bench

	cluster *realcluster.Cluster
	machine *realcluster.Machine
}

// TestThoroughClusterRunsSessions has a real API server and a real scheduler of Kubernetes, with a hub that has the values which
// operators get. Stand-ins are KubeSpawner and the machine that runs the pods: it has neither images nor limits.
func TestThoroughClusterRunsSessions(t *testing.T) {
	cluster := realcluster.New(t)
	index, _ := serveWheel(t, "firefly")
	hub := cluster.StartHub("CAIRN_PIP_INDEX_URL=" + index)
	machine := realcluster.NewMachine(cluster, map[string]string{"cairn-work": hub.Folder + "/root", "cairn-data": hub.Folder + "/data"})
	for name, test := range map[string]func(on *onCluster){
		"cairn engine check":           (*onCluster).passesTheCheck,
		"a pod that no machine takes":  (*onCluster).isCanceledWhileItWaits,
		"what a pod waits for":         (*onCluster).tellsWhatItWaitsFor,
		"an image that isn't there":    (*onCluster).refusesAnAbsentImage,
		"more memory than its limit":   (*onCluster).endsOutOfMemory,
		"a machine that is emptied":    (*onCluster).isEvicted,
		"a pod that somebody deletes":  (*onCluster).isDeleted,
		"refused launches":             (*onCluster).outlivesRefusedLaunches,
		"the packages of a repository": (*onCluster).installsPackages,
		"a hub that is killed":         (*onCluster).outlivesItsHub,
	} {
		t.Run(name, func(t *testing.T) {
			on := &onCluster{newBench(t, hub), cluster, machine}
			on.open()
			test(on)
		})
	}
}

func podOf(id string) string { return "jupyter-" + engine.ServerName(id) }

// pod returns a session's pod; nil if there is none.
func (on *onCluster) pod(id string) realcluster.Object {
	on.Helper()
	var found realcluster.Object
	if status, body := on.cluster.Ask(http.MethodGet, podsOfSessions+"/"+podOf(id), nil, &found); status != http.StatusOK && status != http.StatusNotFound {
		on.Fatalf("%d %s", status, body)
	}
	return found
}

// at follows an object into its fields.
func at(from any, path ...any) any {
	for _, key := range path {
		switch here := from.(type) {
		case map[string]any:
			from = here[key.(string)]
		case []any:
			if key.(int) >= len(here) {
				return nil
			}
			from = here[key.(int)]
		default:
			return nil
		}
	}
	return from
}

// awaitDetail waits until the step of the server is at something.
func (on *onCluster) awaitDetail(id, part string) {
	on.Helper()
	on.hub.Eventually("the last step is at "+part, func() bool {
		status, err := on.engine.Status(on.Context(), id)
		if err != nil || status.Phase != engine.Starting {
			on.Fatalf("%+v %v", status, err)
		}
		return len(status.Steps) > 0 && strings.Contains(status.Steps[len(status.Steps)-1].Detail, part)
	})
}

func (on *onCluster) passesTheCheck() {
	config, token := filepath.Join(on.TempDir(), "cairn.yaml"), filepath.Join(on.TempDir(), "token")
	text := "sessions: {engines: [{name: hub, kind: jupyterhub, url: \"" + on.hub.URL() + "\", token_file: " + token + "}]}\n"
	for path, content := range map[string]string{config: text, token: hubToken} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			on.Fatal(err)
		}
	}
	command := exec.CommandContext(on.Context(), filepath.Join(realcluster.Repository(on), "bin", "cairn"), "engine", "check", "--config", config,
		"--repository", on.repositories.Repository("working.git").URL, "hub")
	said, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "without leaving anything behind") {
		on.Errorf("%v\n%s", err, said)
	}
}

// isCanceledWhileItWaits takes a launch back that waits for a machine: the pod is gone long before its time is up.
func (on *onCluster) isCanceledWhileItWaits() {
	on.machine.Cordon(true)
	defer on.machine.Cordon(false)
	spec := on.start(on.repositories.Repository("working.git"))
	on.awaitDetail(spec.ID, "Waiting for a machine of the cluster: 0/1 nodes are available: 1 node(s) were unschedulable")
	if on.pod(spec.ID) == nil {
		on.Error("there is no pod")
	}
	stopping, enough := context.WithTimeout(on.Context(), time.Minute) // a pod may wait for 15 of them
	defer enough()
	if err := on.engine.Stop(stopping, spec.ID); err != nil {
		on.Error(err)
	}
	on.hub.Eventually("the pod is gone", func() bool { return on.pod(spec.ID) == nil })
	status := on.await(spec.ID, engine.Ended)
	if status.Reason != "" || status.Code != "" {
		on.Errorf("it ended with %q %q", status.Reason, status.Code)
	}
}

func (on *onCluster) tellsWhatItWaitsFor() {
	spec := engine.Spec{
		ID: newID(), Owner: "ann@example.org", Repository: on.repositories.Repository("working.git"),
		Profile: engine.Profile{Name: "slow", Image: realcluster.SlowImage, Memory: 4 << 30, CPU: 2, Disk: 1 << 30},
	}
	if err := on.engine.Start(on.Context(), spec); err != nil {
		on.Fatal(err)
	}
	on.awaitDetail(spec.ID, "Fetching the image "+realcluster.SlowImage)
	on.machine.Fetch()
	on.await(spec.ID, engine.Running)

	// What the pod was made with.
	made := on.pod(spec.ID)
	box := at(made, "spec", "containers", 0)
	for name, want := range map[string][2]string{"memory": {"4294967296", "1073741824"}, "cpu": {"2", "500m"}, "ephemeral-storage": {"1073741824", "268435456"}} {
		if limit, request := at(box, "resources", "limits", name), at(box, "resources", "requests", name); limit != want[0] || request != want[1] {
			on.Errorf("of %s the limit is %v and the request %v, want %v", name, limit, request, want)
		}
	}
	if got := at(made, "spec", "restartPolicy"); got != "Never" {
		on.Errorf("the pod restarts: %v", got)
	}
	if got := at(made, "spec", "containers", 0, "volumeMounts", 0, "subPath"); got != spec.ID+"/work" {
		on.Errorf("it sees %v", got)
	}
	if err := on.engine.Stop(on.Context(), spec.ID); err != nil {
		on.Fatal(err)
	}
	on.hub.Eventually("the pod is gone", func() bool { return on.pod(spec.ID) == nil })
}

func (on *onCluster) refusesAnAbsentImage() {
	spec := engine.Spec{
		ID: newID(), Owner: "ann@example.org", Repository: on.repositories.Repository("working.git"),
		Profile: engine.Profile{Name: "absent", Image: realcluster.AbsentImage},
	}
	if err := on.engine.Start(on.Context(), spec); err != nil {
		on.Fatal(err)
	}
	status := on.endsWith(spec.ID, diagnosis.ServerFault, "can't be fetched: manifest unknown")
	for _, event := range []string{"Successfully assigned", "Pulling image " + realcluster.AbsentImage} {
		if !strings.Contains(status.Log, event) {
			on.Errorf("%q isn't in the log:\n%s", event, status.Log)
		}
	}
}

// endsWith waits until a session has failed, for a reason and with nothing left of its pod.
func (on *onCluster) endsWith(id string, code diagnosis.Code, reason string) engine.Status {
	on.Helper()
	status := on.await(id, engine.Failed)
	if status.Code != code || !strings.Contains(status.Reason, reason) {
		on.Errorf("it failed with %q: %q\n%s", status.Code, status.Reason, status.Log)
	}
	on.hub.Eventually("the pod is gone", func() bool { return on.pod(id) == nil })
	return status
}

func (on *onCluster) running() engine.Spec {
	on.Helper()
	spec := on.start(on.repositories.Repository("working.git"))
	on.await(spec.ID, engine.Running)
	return spec
}

func (on *onCluster) endsOutOfMemory() {
	spec := on.running()
	on.machine.OutOfMemory(podOf(spec.ID))
	on.endsWith(spec.ID, diagnosis.Memory, "more than its 1 GiB of memory")
}

func (on *onCluster) isEvicted() {
	spec := on.running()
	on.cluster.Must(http.MethodPost, podsOfSessions+"/"+podOf(spec.ID)+"/eviction", realcluster.Object{
		"apiVersion": "policy/v1", "kind": "Eviction", "metadata": realcluster.Object{"name": podOf(spec.ID), "namespace": realcluster.Namespace},
	})
	on.endsWith(spec.ID, diagnosis.Evicted, "its machine is being emptied, as for maintenance")
}

func (on *onCluster) isDeleted() {
	spec := on.running()
	on.cluster.Must(http.MethodDelete, podsOfSessions+"/"+podOf(spec.ID), nil)
	on.endsWith(spec.ID, diagnosis.Evicted, "was deleted on the cluster")
}

// outlivesRefusedLaunches refuses more launches in a row than a hub of Zero to JupyterHub bears by default.
func (on *onCluster) outlivesRefusedLaunches() {
	for range 6 {
		spec := on.start(on.repositories.Repository("absent.git"))
		on.await(spec.ID, engine.Failed)
	}
	on.running()
}

func (on *onCluster) installsPackages() {
	on.repositories.Make("asking.git", func(folder string) {
		if err := os.WriteFile(filepath.Join(folder, "requirements.txt"), []byte("firefly\nabsent\n"), 0o644); err != nil {
			on.Fatal(err)
		}
	})
	for first := true; ; first = false {
		spec := on.start(on.repositories.Repository("asking.git"), on.dataset())
		status := on.await(spec.ID, engine.Running)
		if got := names(status.LeftOut); got != "absent" {
			on.Errorf("left out: %s", got)
		}
		made := on.pod(spec.ID)
		maker := at(made, "spec", "initContainers", 0)
		if !first {
			if maker != nil {
				on.Errorf("it's made again: %v", maker)
			}
			return
		}
		if at(maker, "name") != "cairn-environment" || at(maker, "resources", "limits", "memory") != "1073741824" ||
			at(maker, "securityContext", "allowPrivilegeEscalation") != false {
			on.Errorf("what makes the environment is %v", maker)
		}
		way, err := on.engine.Target(on.Context(), spec.ID)
		if err != nil {
			on.Fatal(err)
		}
		kernel := enginetest.OpenKernel(on, way, base(spec.ID))
		if got := kernel.Run(`import firefly, os; print(firefly.answer, open("data/spikes/values.csv").read().strip(), os.getuid(), os.access(firefly.__file__, os.W_OK))`); got != "42 1,2,3 1000 False" {
			on.Errorf("the cell printed %q", got)
		}
		kernel.Close()
	}
}

// outlivesItsHub kills the hub; the next one finds the pod, keeps what was written and ends it.
func (on *onCluster) outlivesItsHub() {
	spec := on.running()
	way, err := on.engine.Target(on.Context(), spec.ID)
	if err != nil {
		on.Fatal(err)
	}
	uid := at(on.pod(spec.ID), "metadata", "uid")
	on.hub.Kill()
	on.hub.Start()
	on.await(spec.ID, engine.Running)
	enginetest.Call(on, way, http.MethodGet, base(spec.ID)+"api/status")
	if got := at(on.pod(spec.ID), "metadata", "uid"); got != uid {
		on.Errorf("it's another pod: %v, was %v", got, uid)
	}
	on.put(spec.ID, "mine.txt", "precious")
	on.machine.OutOfMemory(podOf(spec.ID))
	on.endsWith(spec.ID, diagnosis.Memory, "more memory than it may")
	if content, err := os.ReadFile(on.hub.Work(spec.ID, "mine.txt")); string(content) != "precious" {
		on.Errorf("the work is gone: %v", err)
	}
}
