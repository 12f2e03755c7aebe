//go:build amd64 || arm64

package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// What a zygote's program does, on a SOCK_SEQPACKET socket that is its
// descriptor 0. Numbers are little endian.
//
//	it sends      once, when it is ready and has one thread: four addresses of
//	              functions, 64 bits each (called before a fork, the C library's
//	              fork, after it in the parent, after it in the child), then the spans of
//	              memory that a copy will touch (spansOf), then text;
//	              zeros and a name when what has that name started threads
//	it receives   once: the sizes of ops and data, 32 bits each, their addresses and
//	              the offset of the data in the list's file, 64 bits each; with it
//	              the player's code and the list. It maps the code where it likes,
//	              the ops, from the list's beginning, read-only at their address,
//	              and the data privately at theirs, before each copy afresh
//	it receives   for each copy: one byte, 1 for an early one, then the block's text;
//	              with it descriptors. It writes their numbers, 32 bits each, and
//	              behind them the text to 16 bytes behind the data's address, and
//	              calls the code with both addresses
//	it sends      what the code returned, 32 bits, unless that was 0: then it is the copy
//
// A copy has its own socket as descriptor 3. It sends 16 bytes that begin with
// tagReady and receives, with its standard input if it is to have one, one message: a count of
// limits, 32 bits, for each of them resource, soft and hard as 64 bits, then
// what the caller of Release had to say.

const (
	tagReady = 5 // of a copy: the program waits for its job

	helloTime = 60 * time.Second // imports of many packages
	forkTime  = 10 * time.Second // a healthy machine needs 3 ms
	maxHello  = 64 << 10
	maxNotes  = 8 << 10 // kept of what the program prints
)

// zygote is a program that makes copies of itself.
type zygote struct {
	n       *native
	r       *running // its own sandbox
	pol     Policy
	site    site
	control *os.File
	text    string
	list    *program // of its copies, and of their pid 1
	init    *program
	image   *os.File
	nets    <-chan *os.File
	quit    chan struct{} // closed by close
	dead    chan struct{} // closed when it makes no copies any more
	once    sync.Once
	printed notes

	mu     sync.Mutex // one talks with it at a time
	copies sync.WaitGroup
}

func (n *native) zygote(ctx context.Context, pol Policy) (zygoter, error) {
	z, err := n.newZygote(ctx, pol)
	if err != nil {
		return nil, err // not z: a nil pointer in an interface is not nil
	}
	return z, nil
}

func (n *native) newZygote(ctx context.Context, pol Policy) (*zygote, error) {
	z := &zygote{
		n: n, pol: pol, quit: make(chan struct{}), dead: make(chan struct{}),
		printed: notes{done: make(chan struct{})},
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, &Error{Step: "make the socket to the zygote", Err: err}
	}
	z.control = ours
	defer theirs.Close()
	out, in, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(&Error{Step: "make a pipe for the zygote", Err: err}, ours.Close())
	}
	defer in.Close()
	go z.printed.take(out)
	unbounded := pol // its copies are bounded, each by itself, and it outlives them
	unbounded.Limits = Limits{Disk: pol.Limits.Disk, Inodes: pol.Limits.Inodes}
	if z.r, z.site, err = n.begin(ctx, unbounded, Stdio{Stdin: theirs, Stdout: in, Stderr: in}, true); err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	_ = theirs.Close() // or its end would never be seen
	go func() {
		<-z.r.exited
		z.leave()
	}()
	if err := z.meet(ctx); err != nil {
		return nil, errors.Join(err, z.close())
	}
	z.r.stop() // ctx was for the start
	return z, nil
}

// meet takes the program's word that it is ready, and teaches it the list.
func (z *zygote) meet(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = z.control.SetReadDeadline(time.Now()) })()
	hello, err := z.hear(maxHello, helloTime)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || len(hello) < 40 {
		return &Error{Step: "start the zygote", Err: errors.Join(ErrZygote, err), Why: z.printed.last()}
	}
	le := binary.LittleEndian
	c := callouts{le.Uint64(hello), le.Uint64(hello[8:]), le.Uint64(hello[16:]), le.Uint64(hello[24:])}
	touched, text := spansOf(hello[32:])
	z.text = string(text)
	if c.fork == 0 || !aloneBelow(z.r.first()) {
		return &Error{Step: "start the zygote", Err: errors.Join(&ThreadsError{z.text}, ErrZygote)}
	}
	h, err := z.n.machine.host()
	if err != nil {
		return err
	}
	doors, err := z.doors()
	if err != nil {
		return err
	}
	z.pol.Limits.mapped, z.pol.Limits.keepers = mappedBelow(z.r.first()), 1
	s := z.site
	s.filter, s.doors, s.noProc = z.site.narrow, doors, !z.r.posture().Proc
	if s.id.nests() {
		s.id.uid, s.id.gid = insideID, insideID
	}
	if !s.id.userns { // another's would not let the copies in
		z.nets = networks(z.quit)
	}
	z.site = s
	z.list, z.init = newCopy(z.n.copyFault), newOpening(z.n.copyFault)
	composeCopy(z.list, z.pol, s, c, touched, z.nets != nil)
	composeInit(z.init, s.guard)
	if z.image, err = executable(z.init.image(h.code, elfMachine)); err != nil {
		return &Error{Step: "write the image of pid 1", Err: err}
	}
	code, err := executable(h.code)
	if err != nil {
		return &Error{Step: "write the player", Err: err}
	}
	defer code.Close()
	list, err := z.list.sheet()
	if err != nil {
		return &Error{Step: "write the list of the copies", Err: err}
	}
	defer list.Close()
	b := le.AppendUint32(nil, uint32(len(z.list.ops)*opSize))
	b = le.AppendUint32(b, uint32(len(z.list.data)))
	b = le.AppendUint64(le.AppendUint64(le.AppendUint64(b, copyOps), copyData), restDataAt)
	if err := send(z.control, b, code, list); err != nil {
		return &Error{Step: "hand the list to the zygote", Err: errors.Join(ErrZygote, err)}
	}
	return nil
}

// doors says how many the groups of the copies will have. One that may be made
// and not bounded has none.
func (z *zygote) doors() (int, error) {
	groups, err := z.n.machine.groups()
	if err != nil {
		return 0, err
	}
	made, err := newMeter(groups)
	if err != nil {
		return 0, err
	}
	bounded, err := made.limit(z.pol.Limits)
	if err != nil {
		return 0, errors.Join(err, made.close())
	}
	doors, err := bounded.doors(false)
	closeAll(doors)
	return len(doors), errors.Join(err, bounded.close())
}

// hear waits for a message of the program.
func (z *zygote) hear(most int, long time.Duration) ([]byte, error) {
	_ = z.control.SetReadDeadline(time.Now().Add(long))
	b := make([]byte, most+1)
	n, err := z.control.Read(b)
	switch {
	case err == io.EOF:
		return nil, nil
	case n > most:
		return nil, unix.EMSGSIZE // and what is behind it is gone
	}
	return b[:max(n, 0)], err
}

// ask has the program make one copy.
func (z *zygote) ask(early bool, text []byte, files []*os.File) error {
	z.mu.Lock()
	defer z.mu.Unlock()
	message := append(make([]byte, 0, 1+len(text)), 0)
	if early {
		message[0] = 1
	}
	if err := send(z.control, append(message, text...), files...); err != nil {
		z.leave()
		return errors.Join(ErrZygote, err)
	}
	b, err := z.hear(4, forkTime)
	if err != nil || len(b) != 4 {
		z.leave()
		return &Error{Step: "make a copy", Err: errors.Join(ErrZygote, err), Why: z.printed.last()}
	}
	if made := int32(binary.LittleEndian.Uint32(b)); made < 0 {
		return explainClone(unix.Errno(-made), z.site.id)
	}
	return nil
}

func (z *zygote) notes() string         { return z.text }
func (z *zygote) gone() <-chan struct{} { return z.dead }

// leave has the zygote end. Its pid 1 stays while there are copies.
func (z *zygote) leave() {
	z.once.Do(func() {
		close(z.dead)
		close(z.quit)
		z.control.Close()
	})
}

func (z *zygote) close() error {
	z.leave()
	z.copies.Wait()
	err := z.r.close()
	if z.image != nil {
		err = errors.Join(err, z.image.Close())
	}
	return err
}
