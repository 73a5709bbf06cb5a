package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAPasswordFromTheInput(t *testing.T) {
	t.Parallel()
	for input, says := range map[string]string{
		"secret": "$argon2id$", "secret\n": "$argon2id$", "secret\r\nsecret\r\n": "$argon2id$", "secret\nsecret": "$argon2id$", " \n": "$argon2id$",
		"secret\nSecret\n": "The two passwords differ", "secret\n\n": "The two passwords differ", "": "The password is empty", "\n": "The password is empty",
		"\nsecret\n": "The password is empty", strings.Repeat("x", 1025): "has 1025 bytes; at most 1024",
	} {
		command := newCommand()
		var out bytes.Buffer
		command.SetIn(strings.NewReader(input))
		command.SetOut(&out)
		command.SetErr(io.Discard)
		command.SetArgs([]string{"password"})
		err := command.ExecuteContext(t.Context())
		said, code := out.String(), 0
		if err != nil {
			said, code = sentence(err), exitCode(err)
		}
		if !strings.Contains(said, says) || (code == 0) != strings.HasPrefix(says, "$") || code == 0 && strings.Count(said, "\n") != 1 {
			t.Errorf("%q: exit code %d, %q", input, code, said)
		}
	}
}

// terminal opens a pseudoterminal: what a person sees and types, and what a program has.
func terminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		program, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return person, program
}

func TestAPasswordFromATerminalIsAskedTwiceAndNotShown(t *testing.T) {
	t.Parallel()
	for _, typed := range [][2]string{{"open sesame", "open sesame"}, {"open sesame", "open barley"}} {
		person, program := terminal(t)
		command := cairn(t.Context(), "password")
		var hash bytes.Buffer
		command.Stdin, command.Stdout, command.Stderr = program, &hash, program
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		screen := bufio.NewReader(person)
		for i, question := range []string{"Password: ", "Once more: "} {
			shown := make([]byte, len(question))
			if _, err := io.ReadFull(screen, shown); err != nil || string(shown) != question {
				t.Fatalf("it asks %q, %v", shown, err)
			}
			awaitNoEcho(t, program)
			if _, err := person.WriteString(typed[i] + "\n"); err != nil {
				t.Fatal(err)
			}
			if shown, err := screen.ReadString('\n'); err != nil || strings.TrimSpace(shown) != "" {
				t.Errorf("it shows %q, %v", shown, err)
			}
		}
		err := command.Wait()
		if same := typed[0] == typed[1]; (err == nil) != same || strings.HasPrefix(hash.String(), "$argon2id$") != same {
			t.Errorf("%q: %v, %q", typed, err, hash.String())
		}
	}
}

func TestAnInterruptedPasswordLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	_, program := terminal(t)
	command := cairn(t.Context(), "password")
	command.Stdin = program
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	awaitNoEcho(t, program)
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); command.ProcessState.ExitCode() != 1 {
		t.Errorf("it ends with %v", err)
	}
	if state, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS); err != nil || state.Lflag&unix.ECHO == 0 {
		t.Errorf("the terminal shows nothing: %+v, %v", state, err)
	}
}

// awaitNoEcho waits until a terminal doesn't show what is typed.
func awaitNoEcho(t *testing.T, terminal *os.File) {
	t.Helper()
	for t.Context().Err() == nil {
		state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		if state.Lflag&unix.ECHO == 0 {
			return
		}
	}
}
