package jupyterhub_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
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
		"an entry that runs by itself": (*onCluster).runsAnEntry,
		"a run, and people who come":   (*onCluster).givesWay,
		"a pod with more than Jupyter": (*onCluster).isReachedBySSH,
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

// passesTheCheck but for one thing: nothing here enforces the policy for runs, and the check notices.
func (on *onCluster) passesTheCheck() {
	said, passed := on.check()
	if passed || !strings.Contains(said, "A run reaches the network") || !strings.Contains(said, "without leaving anything behind") {
		on.Errorf("it says\n%s", said)
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

// batch starts a session in which a program runs an entry that asks for a package.
func (on *onCluster) batch(spec engine.Spec) engine.Spec {
	on.Helper()
	spec.ID, spec.Batch = newID(), &engine.Batch{}
	on.hub.Eventually("the hub runs entries", on.engine.RunsBatches)
	if err := on.engine.Start(on.Context(), spec); err != nil {
		on.Fatal(err)
	}
	return spec
}

// runsAnEntry does what proof of run asks of an engine, in pods that have no network.
func (on *onCluster) runsAnEntry() {
	on.repositories.Make("entry.git", func(folder string) {
		if err := os.WriteFile(filepath.Join(folder, "requirements.txt"), []byte("firefly\nabsent\n"), 0o644); err != nil {
			on.Fatal(err)
		}
	})
	repository := on.repositories.Repository("entry.git")
	commit, err := on.engine.Head(on.Context(), repository)
	if err != nil {
		on.Fatal(err)
	}
	repository.Ref = commit
	digests := map[string]bool{}
	for range 2 { // whose pod makes the environment, and one that finds it
		spec := on.batch(engine.Spec{Repository: repository})
		status := on.await(spec.ID, engine.Running)
		if !status.Batch || status.Unowned || status.Commit != commit || names(status.LeftOut) != "absent" {
			on.Errorf("%+v", status)
		}
		made := on.pod(spec.ID)
		if at(made, "spec", "priority") != -20.0 || at(made, "spec", "preemptionPolicy") != "Never" || at(made, "metadata", "labels", "app") != "cairn-run" ||
			at(made, "spec", "dnsPolicy") != "None" || at(made, "spec", "hostAliases", 0, "hostnames", 0) != "127.0.0.1" || at(made, "spec", "initContainers", 0) != nil {
			on.Errorf("the pod is %v %v", at(made, "metadata", "labels"), made["spec"])
		}
		way, err := on.engine.Target(on.Context(), spec.ID)
		if err != nil {
			on.Fatal(err)
		}
		kernel := enginetest.OpenKernel(on, way, way.Base)
		if got := kernel.Run(`import firefly, os; print(firefly.answer, os.environ["PYTHONHASHSEED"], os.environ["TZ"])`); got != "42 0 UTC" {
			on.Errorf("the cell printed %q", got)
		}
		kernel.Close()
		found, err := on.engine.Environment(on.Context(), spec.ID, engine.Python.Language)
		if err != nil || !slices.Contains(found.Packages, "firefly==1.0") || !strings.HasPrefix(found.Version, "3.") {
			on.Errorf("it runs with %+v %v", found, err)
		}
		digests[found.Digest] = true
		if other, err := on.engine.Environment(on.Context(), spec.ID, "julia"); err != nil || other.Digest != "" {
			on.Errorf("of a language without a kernel: %+v %v", other, err)
		}
		if text, err := on.engine.ReadFile(on.Context(), spec.ID, repository.Folder+"/requirements.txt", 100); err != nil || string(text) != "firefly\nabsent\n" {
			on.Errorf("ReadFile: %q %v", text, err)
		}
		list, err := on.engine.List(on.Context())
		if err != nil || !slices.ContainsFunc(list, func(one engine.Status) bool { return one.ID == spec.ID && one.Batch }) {
			on.Errorf("it isn't in the list: %v", err)
		}
		if err := on.engine.Remove(on.Context(), spec.ID); err != nil {
			on.Error(err)
		}
		on.hub.Eventually("the pod is gone", func() bool { return on.pod(spec.ID) == nil })
	}
	if len(digests) != 1 {
		on.Errorf("the same environment has the digests %v", digests)
	}
}

// isReachedBySSH has a pod whose server is the front. Its image lacks VS Code, which whoever opens it reads.
func (on *onCluster) isReachedBySSH() {
	on.options.SSH, on.options.VSCode = true, "/opt/code-server/bin/code-server"
	on.open()
	on.hub.Eventually("sessions have SSH", on.engine.HasShell)
	spec := on.running()
	if said := enginetest.RunBySSH(on, on.engine, spec.ID, "id -u; ls working; env | grep -c ^JUPYTERHUB_ || true", nil); said != "1000\nREADME.md\n0\n" {
		on.Errorf("the shell said %q", said)
	}
	way, err := on.engine.Target(on.Context(), spec.ID)
	if err != nil {
		on.Fatal(err)
	}
	kernel := enginetest.OpenKernel(on, way, base(spec.ID))
	if got := kernel.Run("print(6 * 7)"); got != "42" {
		on.Errorf("the cell printed %q", got)
	}
	kernel.Close()
	if _, err := on.engine.Editor(on.Context(), spec.ID); fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "may not have installed it") {
		on.Errorf("VS Code: %v", err)
	}
	on.machine.OutOfMemory(podOf(spec.ID))
	on.endsWith(spec.ID, diagnosis.Memory, "more than its 1 GiB of memory")
}

// givesWay fills the machine, of 8 GiB, with a run; then somebody starts a session for which there is no other room.
func (on *onCluster) givesWay() {
	large := engine.Profile{Name: "large", Memory: 24 << 30, CPU: 1, Disk: 1 << 30} // a pod asks for a quarter of it
	run := on.batch(engine.Spec{Repository: on.repositories.Repository("working.git"), Profile: large})
	on.await(run.ID, engine.Running)
	person := engine.Spec{ID: newID(), Owner: "ann@example.org", Repository: on.repositories.Repository("working.git"), Profile: large}
	if err := on.engine.Start(on.Context(), person); err != nil {
		on.Fatal(err)
	}
	on.await(person.ID, engine.Running)
	on.endsWith(run.ID, diagnosis.Evicted, "something more important")
	waiting := on.batch(engine.Spec{Repository: on.repositories.Repository("working.git"), Profile: large})
	on.awaitDetail(waiting.ID, "Waiting for a machine of the cluster: 0/1 nodes are available")
	if status, err := on.engine.Status(on.Context(), person.ID); err != nil || status.Phase != engine.Running {
		on.Errorf("a run pushed a session out: %+v %v", status, err)
	}
	for _, id := range []string{waiting.ID, person.ID, run.ID} {
		if err := on.engine.Remove(on.Context(), id); err != nil {
			on.Error(err)
		}
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
