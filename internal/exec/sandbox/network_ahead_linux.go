//go:build amd64 || arm64

package sandbox

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// networks makes network namespaces with nothing in them but lo, down, until
// quit is closed, and keeps one ready. Making one is the dearest of all
// namespaces and holds a lock of the whole kernel, so it is done beside other
// work and one after the other. A nil one could not be made.
func networks(quit <-chan struct{}) <-chan *os.File {
	made := make(chan *os.File)
	go func() {
		// Not unlocked: a thread that has been elsewhere is not used again. The
		// first thread never ends and stands for the process in /proc, so it is
		// held back until another has taken the work.
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			other := make(chan struct{})
			go func() {
				runtime.LockOSThread()
				close(other)
				makeNetworks(made, quit)
			}()
			<-other
			runtime.UnlockOSThread()
			return
		}
		makeNetworks(made, quit)
	}()
	return made
}

func makeNetworks(made chan<- *os.File, quit <-chan struct{}) {
	for {
		var f *os.File
		if err := unix.Unshare(unix.CLONE_NEWNET); err == nil {
			f, _ = os.OpenFile("/proc/thread-self/ns/net", os.O_RDONLY, 0)
		}
		select {
		case made <- f:
		case <-quit:
			closeAll([]*os.File{f})
			return
		}
	}
}
