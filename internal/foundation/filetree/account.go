package filetree

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// As runs work with the rights of another account for files, which only root can. They hold for work itself, not for
// goroutines that it starts, and not for what was opened before.
func As(account int, work func() error) error {
	err := errors.New("it was given up")
	var failure any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { failure = recover() }()
		runtime.LockOSThread() // and never unlock it: the thread ends with the goroutine
		if err = become(account); err == nil {
			err = work()
		}
	}()
	<-done
	if failure != nil {
		panic(failure)
	}
	return err
}

// Owner returns the account that a folder belongs to.
func Owner(folder *os.Root) (int, error) {
	about, err := folder.Stat(".")
	if err != nil {
		return 0, err
	}
	stat, known := about.Sys().(*syscall.Stat_t)
	if !known {
		return 0, errors.New("the owner of a folder is unknown")
	}
	return int(stat.Uid), nil
}

// become changes the rights of this thread alone. Leaving root's account also takes the capabilities away that concern
// files.
func become(account int) error {
	if _, _, failed := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); failed != 0 {
		return fmt.Errorf("leaving our groups: %w", failed)
	}
	_, _ = unix.SetfsgidRetGid(account)
	_, _ = unix.SetfsuidRetUid(account)
	if group, _ := unix.SetfsgidRetGid(-1); group != account || currentAccount() != account {
		return fmt.Errorf("cannot take on the rights of account %d: %w", account, unix.EPERM)
	}
	return nil
}

// currentAccount returns the account whose rights this thread has for files.
func currentAccount() int {
	account, _ := unix.SetfsuidRetUid(-1) // which is none, so it changes nothing
	return account
}
