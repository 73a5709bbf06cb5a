package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-systemd/v22/unit"
)

// unitFile is a service of deploy/systemd.
type unitFile map[string][]string

func readUnit(t *testing.T, name string) unitFile {
	t.Helper()
	file, err := os.Open(filepath.Join("systemd", name))
	noError(t, err)
	defer file.Close()
	options, err := unit.DeserializeOptions(file)
	noError(t, err)
	found := unitFile{}
	for _, one := range options {
		found[one.Name] = append(found[one.Name], one.Value)
	}
	return found
}

// analyze runs systemd-analyze, which needs no running systemd.
func analyze(t *testing.T, arguments ...string) (said string, err error) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "systemd-analyze", arguments...).CombinedOutput()
	return string(output), err
}

func TestExposureOfTheUnits(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]string{"cairn.service": "20", "cairn-local.service": "50"} { // tenths
		if said, err := analyze(t, "security", "--no-pager", "--offline=true", "--threshold="+most, "systemd/"+name); err != nil {
			t.Errorf("%s: %v, it may be %s tenths\n%s", name, err, most, said)
		}
	}
	if said, err := analyze(t, "security", "--no-pager", "--offline=true", "--threshold=20", "systemd/cairn-local.service"); err == nil {
		t.Errorf("the threshold refuses nothing:\n%s", said)
	}
}

// machine returns a root with the programs and targets that the units name, and with a service and the socket installed.
func machine(t *testing.T, service string) string {
	t.Helper()
	root := t.TempDir()
	for _, program := range []string{"/usr/local/bin/cairn", "/bin/kill"} {
		write(t, filepath.Join(root, program), "#!/bin/sh\n", 0o755)
	}
	const system = "/usr/lib/systemd/system"
	for _, target := range []string{"network-online", "multi-user", "sockets", "sysinit", "basic", "shutdown"} {
		write(t, filepath.Join(root, system, target+".target"), "[Unit]\nDescription=x\nDefaultDependencies=no\n", 0o644)
	}
	const own = "/etc/systemd/system"
	for from, to := range map[string]string{service: "cairn.service", "cairn.socket": "cairn.socket", "secrets.conf": "cairn.service.d/secrets.conf"} {
		write(t, filepath.Join(root, own, to), read(t, "systemd/"+from), 0o644)
	}
	return root
}

func TestSystemdUnderstandsTheUnits(t *testing.T) {
	t.Parallel()
	for _, service := range []string{"cairn.service", "cairn-local.service"} {
		root := machine(t, service)
		verify := []string{"verify", "--root=" + root, "--man=no", "--recursive-errors=no", "cairn.service", "cairn.socket"}
		if said, err := analyze(t, verify...); err != nil || said != "" {
			t.Errorf("%s: %v\n%s", service, err, said)
		}
		write(t, filepath.Join(root, "etc/systemd/system/cairn.service.d/secrets.conf"), "[Service]\nLoadCredentials=x:/y\n", 0o644)
		if said, err := analyze(t, verify...); err == nil {
			t.Errorf("an unknown key isn't found: %s", said)
		}
	}
}

func TestOptionsOfTheUnitsThatMatter(t *testing.T) {
	t.Parallel()
	both := map[string]string{
		"Type": "notify", "User": "cairn", "StateDirectory": "cairn", "StateDirectoryMode": "0700", "UMask": "0077", "ProtectSystem": "strict",
		"ProtectHome": "yes", "NoNewPrivileges": "yes", "CapabilityBoundingSet": "", "Restart": "on-failure", "RestartPreventExitStatus": "2",
		"ExecStart": "/usr/local/bin/cairn serve --config /etc/cairn/cairn.yaml", "ExecReload": "/bin/kill -HUP $MAINPID", "WantedBy": "multi-user.target",
	}
	catalog := map[string]string{
		"PrivateTmp": "yes", "PrivateDevices": "yes", "PrivateUsers": "yes", "RestrictNamespaces": "yes", "MemoryDenyWriteExecute": "yes",
		"ProtectKernelTunables": "yes", "ProtectProc": "invisible", "ProtectControlGroups": "yes",
	}
	// Each of these ends sessions, or keeps them from starting, when it is missing.
	local := map[string]string{
		"KillMode": "process", "Delegate": "yes", "OOMPolicy": "continue", "TasksMax": "infinity", "ReadWritePaths": "/tmp /var/tmp",
		"DeviceAllow":             "/dev/net/tun rw",
		"ExecStopPost":            "+-/bin/sh -c 'cd /sys/fs/cgroup/system.slice/%n 2>/dev/null && echo -memory -pids -cpu > cgroup.subtree_control'",
		"RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX AF_NETLINK",
	}
	// Each of these does so when it is there.
	without := []string{
		"PrivateTmp", "PrivateDevices", "PrivateUsers", "PrivateIPC", "RemoveIPC", "RestrictNamespaces", "MemoryDenyWriteExecute", "ProtectHostname",
		"ProtectKernelTunables", "ProtectKernelLogs", "ProtectProc", "ProcSubset", "ProtectControlGroups", "PrivateNetwork",
	}
	for name, wants := range map[string][]map[string]string{"cairn.service": {both, catalog}, "cairn-local.service": {both, local}} {
		found := readUnit(t, name)
		for _, want := range wants {
			for key, value := range want {
				if !slices.Equal(found[key], []string{value}) {
					t.Errorf("%s: %s is %q, want %q", name, key, found[key], value)
				}
			}
		}
		if name == "cairn-local.service" {
			for _, key := range without {
				if found[key] != nil {
					t.Errorf("%s has %s=%s", name, key, found[key])
				}
			}
		}
		// The notice, and the patience of each step in internal/app/drain.go.
		const end = 5*time.Second + (1+30+3+2+10)*time.Second
		if stop, err := time.ParseDuration(found["TimeoutStopSec"][0] + "s"); err != nil || stop <= end {
			t.Errorf("%s: TimeoutStopSec is %v, and an orderly end takes %v (%v)", name, stop, end, err)
		}
	}
	socket := readUnit(t, "cairn.socket")
	if !slices.Equal(socket["ListenStream"], []string{"127.0.0.1:8080", "127.0.0.1:8081"}) { // the defaults of listen and session_listen
		t.Errorf("the socket unit listens on %q", socket["ListenStream"])
	}
}

// Each credential is read by the server under the variable that the drop-in sets.
func TestSecretsThatSystemdLoads(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := strings.ReplaceAll(read(t, "systemd/secrets.conf"), "\n# LoadCredential", "\nLoadCredential")
	text = strings.ReplaceAll(text, "\n# Environment", "\nEnvironment")
	var environment []string
	loaded := map[string]bool{}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "LoadCredential":
			name, _, _ := strings.Cut(value, ":")
			loaded[name] = true
			write(t, filepath.Join(folder, name), "sqlite:"+folder+"/x.db\n", 0o600)
		case "Environment":
			environment = append(environment, strings.ReplaceAll(value, "%d", folder))
		}
	}
	write(t, filepath.Join(folder, "cairn.yaml"), "oidc: {issuer: \"https://login.example.org\"}\ndata: "+folder+"/data\nlisten: 127.0.0.1:0\nsession_listen: 127.0.0.1:0\n"+
		"sessions: {engines: [{name: hub, kind: jupyterhub, url: \"https://hub.example.org\", token_file: "+folder+"/hub-token}]}\n", 0o600)
	if len(loaded) != len(environment)+1 { // the hub's is named in the file
		t.Errorf("%d credentials and %d variables", len(loaded), len(environment))
	}
	command := exec.CommandContext(t.Context(), cairn(t), "config", "check", "--config", filepath.Join(folder, "cairn.yaml"))
	command.Env = append(os.Environ(), environment...)
	said, _ := command.CombinedOutput()
	for _, one := range environment {
		name, file, _ := strings.Cut(one, "=")
		if _, err := os.Stat(file); err != nil || strings.Contains(string(said), name) {
			t.Errorf("%s: %v\n%s", one, err, said)
		}
	}
	if strings.Contains(string(said), "no such variable") || strings.Contains(string(said), "hub-token") {
		t.Errorf("%s", said)
	}
}
