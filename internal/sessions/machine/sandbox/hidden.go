package sandbox

import (
	"fmt"
	"os"
	"strings"
)

// The descriptors from which bubblewrap takes the filter of system calls and the names of accounts. It closes them.
const (
	filterDescriptor = 5 + iota
	usersDescriptor
	groupsDescriptor
)

// hiddenFiles are the files of /proc that describe this machine rather than the box, are of no use to programs in it,
// and exist here. They appear empty. The rest of what belongs to the machine bubblewrap makes read-only.
func hiddenFiles() []string {
	var found []string
	for _, name := range []string{
		"cmdline", "config.gz", "interrupts", "kallsyms", "kcore", "key-users", "keys", "latency_stats", "mdstat", "modules", "mtrr",
		"partitions", "sched_debug", "swaps", "sysrq-trigger", "timer_list",
	} {
		if _, err := os.Lstat("/proc/" + name); err == nil {
			found = append(found, "/proc/"+name)
		}
	}
	return found
}

// names returns the users and groups that a box knows: its own account, and those that files of the system belong to.
func (s *Sandbox) names(box Box) (users, groups []byte) {
	account, group := os.Geteuid(), os.Getegid()
	if s.level.OwnAccount() {
		account, group = box.Account, box.Account
	}
	home := box.Folder
	for _, variable := range box.Environment {
		if value, found := strings.CutPrefix(variable, "HOME="); found {
			home = value
		}
	}
	users = fmt.Appendf(nil, "%s:x:%d:%d::%s:%s\n", s.options.Hostname, account, group, home, s.options.Shell)
	groups = fmt.Appendf(nil, "%s:x:%d:\n", s.options.Hostname, group)
	return append(users, "root:x:0:0::/root:/usr/sbin/nologin\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n"...),
		append(groups, "root:x:0:\nnogroup:x:65534:\n"...)
}
