package realcluster

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Machine is a node of a cluster, and what its kubelet does: it runs the commands of the pods that the scheduler gives it, in
// bubblewrap with this machine's programs instead of an image, each pod on another loopback address, and tells how they are.
type Machine struct {
	*Cluster

	claims map[string]string // the folder that each claim is
	image  chan struct{}     // a slow image has come when it's closed

	mu   sync.Mutex
	pods map[string]*running // by uid
	last int                 // address
	all  sync.WaitGroup
}

// Images that are different from others, which are there already.
const (
	SlowImage   = "registry.example.org/slow:1"   // comes with Machine.Fetch
	AbsentImage = "registry.example.org/absent:1" // never comes
)

// pod is what a machine reads of a pod.
type pod struct {
	Metadata struct {
		Name              string
		UID               string
		DeletionTimestamp string
		GracePeriod       int `json:"deletionGracePeriodSeconds"`
	}
	Spec struct {
		Containers     []container
		InitContainers []container
		Volumes        []struct {
			Name  string
			Claim struct{ ClaimName string } `json:"persistentVolumeClaim"`
		}
	}
	Status struct{ Phase string }
}

type container struct {
	Name, Image, WorkingDir string
	Command, Args           []string
	Env                     []struct{ Name, Value string }
	VolumeMounts            []struct {
		Name, MountPath, SubPath string
		ReadOnly                 bool
	}
}

// running is a pod on the machine.
type running struct {
	pod

	address string
	stop    context.CancelFunc // ends its process
	mu      sync.Mutex
	command *exec.Cmd
	killed  string // why, if its machine killed it
	status  Object
}

const nodeName = "machine"

// relist is how often a kubelet looks at its processes: so long does a pod stay that it was told to end.
const relist = time.Second

// NewMachine adds a machine with 4 processors and 8 GiB to a cluster. The claims, with the folders that they are, are bound.
func NewMachine(c *Cluster, claims map[string]string) *Machine {
	c.Helper()
	m := &Machine{Cluster: c, claims: claims, image: make(chan struct{}), pods: map[string]*running{}}
	for claim, folder := range claims {
		c.bind(claim, folder)
	}
	c.Must(http.MethodPost, "/api/v1/nodes", object("v1", "Node", nodeName))
	room := Object{"cpu": "4", "memory": "8Gi", "pods": "100", "ephemeral-storage": "100Gi"}
	c.Must(http.MethodPatch, "/api/v1/nodes/"+nodeName+"/status", Object{"status": Object{
		"capacity": room, "allocatable": room, "conditions": []Object{{"type": "Ready", "status": "True", "reason": "KubeletReady"}},
	}})
	m.Cordon(false)
	ctx, cancel := context.WithCancel(context.Background())
	m.all.Go(func() { m.watch(ctx) })
	c.Cleanup(func() { cancel(); m.all.Wait() })
	return m
}

// bind makes a claim and the volume for it, as the controllers that aren't here would.
func (c *Cluster) bind(claim, folder string) {
	c.Helper()
	size := Object{"storage": "1Gi"}
	path := "/api/v1/namespaces/" + Namespace + "/persistentvolumeclaims"
	made := object("v1", "PersistentVolumeClaim", claim)
	made["metadata"] = Object{"name": claim, "annotations": Object{"pv.kubernetes.io/bind-completed": "yes"}}
	modes := []string{"ReadWriteMany"}
	made["spec"] = Object{"accessModes": modes, "storageClassName": "", "volumeName": claim, "resources": Object{"requests": size}}
	var bound struct{ Metadata struct{ UID string } }
	if status, body := c.Ask(http.MethodPost, path, made, &bound); status != http.StatusCreated {
		c.Fatalf("the claim %s: %d %s", claim, status, body)
	}
	volume := object("v1", "PersistentVolume", claim)
	volume["spec"] = Object{
		"accessModes": modes, "capacity": size, "hostPath": Object{"path": folder},
		"claimRef": Object{"namespace": Namespace, "name": claim, "uid": bound.Metadata.UID},
	}
	c.Must(http.MethodPost, "/api/v1/persistentvolumes", volume)
	c.Must(http.MethodPatch, path+"/"+claim+"/status", Object{"status": Object{"phase": "Bound", "accessModes": modes, "capacity": size}})
	c.Must(http.MethodPatch, "/api/v1/persistentvolumes/"+claim+"/status", Object{"status": Object{"phase": "Bound"}})
}

// Cordon keeps new pods from the machine, or lets them come. A machine that begins is kept from them by the API server.
func (m *Machine) Cordon(closed bool) {
	m.Helper()
	m.Must(http.MethodPatch, "/api/v1/nodes/"+nodeName, Object{"spec": Object{"unschedulable": closed, "taints": nil}})
}

// Fetch lets slow images come.
func (m *Machine) Fetch() { close(m.image) }

// OutOfMemory ends a pod's process as the kernel does when it uses more than its limit.
func (m *Machine) OutOfMemory(name string) {
	m.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.pods {
		if one.Metadata.Name == name {
			one.kill("OOMKilled")
			return
		}
	}
	m.Errorf("there is no pod %s", name)
}

func (r *running) kill(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killed = why
	_ = syscall.Kill(-r.command.Process.Pid, syscall.SIGKILL)
}

// watch follows the pods of the machine until the test ends.
func (m *Machine) watch(ctx context.Context) {
	for ctx.Err() == nil {
		response, err := m.send(ctx, http.MethodGet, "/api/v1/pods?watch=1&fieldSelector=spec.nodeName="+nodeName, "application/json", nil)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var change struct {
				Type   string
				Object pod
			}
			if err := json.Unmarshal(lines.Bytes(), &change); err != nil {
				m.Errorf("a change of a pod: %v\n%s", err, lines.Text())
				continue
			}
			m.take(ctx, change.Type, change.Object)
		}
		_ = response.Body.Close()
	}
}

func (m *Machine) take(ctx context.Context, change string, one pod) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.pods[one.Metadata.UID]
	switch {
	case known == nil && change != "DELETED" && one.Status.Phase == "Pending" && one.Metadata.DeletionTimestamp == "":
		m.last++
		ctx, cancel := context.WithCancel(ctx)
		address := fmt.Sprintf("127.66.0.%d", m.last)
		known = &running{pod: one, address: address, stop: cancel, status: Object{"phase": "Pending", "podIP": address}}
		m.pods[one.Metadata.UID] = known
		m.all.Go(func() { m.run(ctx, known) })
	case known != nil && (change == "DELETED" || one.Metadata.DeletionTimestamp != ""):
		known.stop()
	}
}

// run brings a pod up, and takes it away when it's deleted.
func (m *Machine) run(ctx context.Context, r *running) {
	m.live(ctx, r)
	<-ctx.Done()
	// As a kubelet does once all processes have ended.
	path := "/api/v1/namespaces/" + Namespace + "/pods/" + r.Metadata.Name
	_, _ = m.Ask(http.MethodDelete, path, Object{"gracePeriodSeconds": 0, "preconditions": Object{"uid": r.Metadata.UID}}, nil)
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.pods, r.Metadata.UID)
}

func (m *Machine) live(ctx context.Context, r *running) {
	for at, part := range [][]container{r.Spec.InitContainers, r.Spec.Containers} {
		kind := []string{"initContainerStatuses", "containerStatuses"}[at]
		for _, one := range part {
			if !m.fetch(ctx, r, kind, one) {
				return
			}
			ended := m.execute(ctx, r, kind, one)
			m.tell(r, kind, one, Object{"terminated": ended})
			if ended["exitCode"] != 0 || at == 1 {
				r.status["phase"] = map[bool]string{true: "Succeeded", false: "Failed"}[ended["exitCode"] == 0]
				m.tell(r, kind, one, Object{"terminated": ended})
				return
			}
		}
	}
}

// fetch gets an image; false if the pod was deleted before it was there.
func (m *Machine) fetch(ctx context.Context, r *running, kind string, one container) bool {
	m.say(r, "Pulling", "Pulling image "+one.Image)
	switch one.Image {
	case SlowImage:
		m.tell(r, kind, one, Object{"waiting": Object{"reason": "ContainerCreating"}})
		select {
		case <-m.image:
		case <-ctx.Done():
			return false
		}
	case AbsentImage:
		m.tell(r, kind, one, Object{"waiting": Object{"reason": "ErrImagePull", "message": "manifest unknown"}})
		for range 2 { // each time it tries
			m.say(r, "Pulling", "Pulling image "+one.Image)
		}
		<-ctx.Done()
		return false
	}
	m.say(r, "Pulled", "Successfully pulled image "+one.Image)
	return ctx.Err() == nil
}

// execute runs a container until it ends, and returns how it did.
func (m *Machine) execute(ctx context.Context, r *running, kind string, one container) Object {
	arguments := []string{
		"--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--ro-bind", "/usr", "/usr",
		"--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--ro-bind", "/etc", "/etc",
		"--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp", "--clearenv",
		"--perms", "0755", "--dir", "/session", "--perms", "0755", "--dir", "/session/environments",
	}
	for _, mount := range one.VolumeMounts {
		flag := map[bool]string{true: "--ro-bind", false: "--bind"}[mount.ReadOnly]
		for _, volume := range r.Spec.Volumes {
			if volume.Name == mount.Name {
				arguments = append(arguments, flag, filepath.Join(m.claims[volume.Claim.ClaimName], mount.SubPath), mount.MountPath)
			}
		}
	}
	for name, value := range map[string]string{"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8"} {
		arguments = append(arguments, "--setenv", name, value)
	}
	for _, variable := range one.Env {
		// A pod has its own network: it listens on all of its addresses.
		arguments = append(arguments, "--setenv", variable.Name, strings.Replace(variable.Value, "//0.0.0.0", "//"+r.address, 1))
	}
	if one.WorkingDir != "" {
		arguments = append(arguments, "--chdir", one.WorkingDir)
	}
	arguments = append(arguments, "--", "/usr/bin/setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "--no-new-privs")
	arguments = append(append(arguments, one.Command...), one.Args...)
	log, err := os.Create(m.path(r.Metadata.Name + "." + one.Name + ".log"))
	if err != nil {
		m.Error(err)
		return Object{"exitCode": 128, "reason": "StartError", "message": err.Error()}
	}
	defer log.Close()
	command := exec.Command("/usr/bin/bwrap", arguments...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return Object{"exitCode": 128, "reason": "StartError", "message": err.Error()}
	}
	r.mu.Lock()
	r.command = command
	r.mu.Unlock()
	ended := make(chan struct{})
	go func() { _ = command.Wait(); close(ended) }()
	m.say(r, "Started", "Started container "+one.Name)
	if kind == "containerStatuses" {
		r.status["phase"] = "Running"
	}
	m.tell(r, kind, one, Object{"running": Object{"startedAt": time.Now().UTC().Format(time.RFC3339)}})
	select {
	case <-ended:
	case <-ctx.Done():
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		<-ended
		<-time.After(relist)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.killed != "" {
		return Object{"exitCode": 137, "reason": r.killed}
	}
	code := command.ProcessState.ExitCode()
	if code != 0 && ctx.Err() == nil {
		said, _ := os.ReadFile(log.Name())
		m.Logf("%s of %s ended with %d:\n%s", one.Name, r.Metadata.Name, code, said[max(0, len(said)-2000):])
	}
	return Object{"exitCode": code, "reason": map[bool]string{true: "Completed", false: "Error"}[code == 0]}
}

// tell updates the state of a container in the status of a pod.
func (m *Machine) tell(r *running, kind string, one container, state Object) {
	_, runs := state["running"]
	told := Object{"name": one.Name, "image": one.Image, "imageID": "", "ready": runs, "restartCount": 0, "state": state}
	r.status[kind] = append(without(r.status[kind], one.Name), told)
	if kind == "initContainerStatuses" && r.status["phase"] == "Failed" {
		delete(r.status, "containerStatuses")
	}
	path := "/api/v1/namespaces/" + Namespace + "/pods/" + r.Metadata.Name + "/status"
	status, body := m.Ask(http.MethodPatch, path, Object{"metadata": Object{"uid": r.Metadata.UID}, "status": r.status}, nil)
	replaced := status == http.StatusUnprocessableEntity && strings.Contains(body, `"field":"metadata.uid"`) // by a pod of the same name
	if status >= 300 && status != http.StatusNotFound && status != http.StatusConflict && !replaced {
		m.Errorf("the status of %s: %d %s", r.Metadata.Name, status, body)
	}
}

func without(several any, name string) []Object {
	var kept []Object
	list, _ := several.([]Object)
	for _, one := range list {
		if one["name"] != name {
			kept = append(kept, one)
		}
	}
	return kept
}

// say makes an event of a pod.
func (m *Machine) say(r *running, reason, message string) {
	now := time.Now().UTC().Format(time.RFC3339)
	event := object("v1", "Event", "")
	event["metadata"] = Object{"generateName": r.Metadata.Name + ".", "namespace": Namespace}
	event["involvedObject"] = Object{"apiVersion": "v1", "kind": "Pod", "namespace": Namespace, "name": r.Metadata.Name, "uid": r.Metadata.UID}
	event["type"], event["reason"], event["message"], event["count"] = "Normal", reason, message, 1
	event["firstTimestamp"], event["lastTimestamp"] = now, now
	event["source"] = Object{"component": "kubelet", "host": nodeName}
	if status, body := m.Ask(http.MethodPost, "/api/v1/namespaces/"+Namespace+"/events", event, nil); status >= 300 {
		m.Errorf("an event of %s: %d %s", r.Metadata.Name, status, body)
	}
}
