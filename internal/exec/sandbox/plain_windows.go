package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// family is a started program and its children: a job object holds them, none
// can leave it, and its end is theirs, also when pyrun itself is ended by force.
type family struct {
	cmd *exec.Cmd
	job windows.Handle
}

// killedStatus is the exit status of what was killed from here. Bit 29 keeps it
// apart from all of the system's own.
const killedStatus = 0xE0000089

func startFamily(cmd *exec.Cmd) (family, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return family{}, fmt.Errorf("make a job object: %w", err)
	}
	f := family{cmd, job}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		f.close()
		return family{}, fmt.Errorf("limit the job object: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		// Suspended until it is in the job, or its first child might not be; a
		// group of its own, or Ctrl-C would reach the script beside pyrun.
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP,
	}
	if err := cmd.Start(); err != nil {
		f.close()
		return family{}, err
	}
	var put error
	err = cmd.Process.WithHandle(func(h uintptr) { put = windows.AssignProcessToJobObject(job, windows.Handle(h)) })
	if err = errors.Join(err, put); err == nil {
		err = resume(uint32(cmd.Process.Pid))
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		f.close()
		return family{}, fmt.Errorf("put it into a job object: %w", err)
	}
	return f, nil
}

// resume lets the threads of a process go that was started suspended.
func resume(pid uint32) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(all) }()
	e := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	found := false
	for err = windows.Thread32First(all, &e); err == nil; err = windows.Thread32Next(all, &e) {
		if e.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, e.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread)
		if err != nil {
			return err
		}
		found = true
	}
	if !found {
		return windows.ERROR_NOT_FOUND
	}
	return nil
}

func (f family) kill() { _ = windows.TerminateJobObject(f.job, killedStatus) }

func (f family) close() { _ = windows.CloseHandle(f.job) }

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION; times are in units of 100 ns.
type accounting struct {
	userTime, kernelTime             int64
	periodUserTime, periodKernelTime int64
	pageFaults                       uint32
	processes, active, terminated    uint32
}

// finish ends what the program left behind and waits until it is gone: as long
// as it lives, its files cannot be removed.
func (f family) finish(s *os.ProcessState) Usage {
	defer f.close()
	f.kill()
	var a accounting
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(time.Millisecond) {
		err := windows.QueryInformationJobObject(f.job, windows.JobObjectBasicAccountingInformation,
			uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)), nil)
		if err != nil || a.active == 0 || time.Now().After(deadline) {
			break
		}
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	_ = windows.QueryInformationJobObject(f.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)), nil)
	u := Usage{CPU: time.Duration(a.userTime+a.kernelTime) * 100, PeakMemory: int64(limits.PeakProcessMemoryUsed)}
	if s != nil {
		u.CPU = max(u.CPU, s.UserTime()+s.SystemTime())
	}
	return u
}

func exitOf(s *os.ProcessState) (int, syscall.Signal) {
	if uint32(s.ExitCode()) == killedStatus {
		return 128 + int(syscall.SIGKILL), syscall.SIGKILL
	}
	return s.ExitCode(), 0
}

// SignalName is what this system calls a signal; empty for one without a name.
func SignalName(s syscall.Signal) string {
	if s == syscall.SIGKILL { // the only one that exitOf makes
		return "SIGKILL"
	}
	return ""
}

// link lets at show what target, which may be relative to it, is. Most users may
// make no symbolic link here, and then it is a copy.
func link(target, at string) error {
	_ = os.Symlink(target, at)
	if _, err := os.Stat(at); err == nil {
		return nil
	}
	_ = os.Remove(at)
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(at), target)
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(at, os.DirFS(target))
	}
	data, err := os.ReadFile(target)
	if err != nil {
		return err
	}
	return os.WriteFile(at, data, 0o600)
}
