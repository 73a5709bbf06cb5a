package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/user"
	"strconv"
)

// accounts is the range of user ids for boxes. Ids are picked at random, so two servers on one machine that know
// nothing about each other hardly ever share one, and a sweep of one doesn't hit the other's boxes.
type accounts struct{ first, count int }

// availableAccounts returns the range that no convention of the system uses, or what a container's id map leaves.
func availableAccounts() accounts {
	content, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return accounts{0x70000000, 0x0fffffff}
	}
	return accountsOf(content)
}

func accountsOf(userMap []byte) accounts {
	mapped := 0
	lines := bufio.NewScanner(bytes.NewReader(userMap))
	for lines.Scan() {
		var fields [3]int
		for i, field := range bytes.Fields(lines.Bytes()) {
			if i < len(fields) {
				fields[i], _ = strconv.Atoi(string(field))
			}
		}
		mapped = max(mapped, fields[0]+fields[2])
	}
	if mapped >= 0x7fffffff {
		return accounts{0x70000000, 0x0fffffff}
	}
	return accounts{20000, max(1, min(mapped, 60000)-20000)}
}

// pick returns an id that no box, account or process has.
func (a accounts) pick(taken map[int]bool) (int, error) {
	running := map[int]bool{}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		status, _ := os.ReadFile("/proc/" + entry.Name() + "/status")
		_, rest, _ := bytes.Cut(status, []byte("\nUid:"))
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		for _, field := range bytes.Fields(line) {
			number, _ := strconv.Atoi(string(field))
			running[number] = true
		}
	}
	for range 1000 {
		number := a.first + rand.IntN(a.count) //nolint:gosec // spreads numbers, guards nothing
		if taken[number] || running[number] {
			continue
		}
		if _, err := user.LookupId(strconv.Itoa(number)); err == nil {
			continue
		}
		return number, nil
	}
	return 0, errors.New("no account is free for a box")
}

// PickAccount returns an unused user id, and never returns it again.
func (s *Sandbox) PickAccount() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number, err := s.accounts.pick(s.taken)
	if err == nil {
		s.taken[number] = true
	}
	return number, err
}

// KeepAccount prevents PickAccount from returning an account that was picked before this server started.
func (s *Sandbox) KeepAccount(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken[number] = true
}
