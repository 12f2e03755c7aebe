package serve

// The memory that request bodies take: bounded in all and by caller, and counted
// as it is filled. What a client only announces costs it nothing, so that it must
// not cost the others anything either.

import (
	"errors"
	"io"
	"sync"
)

const (
	allBodies = 256 << 20 // bytes, or four of the largest
	firstRoom = 16 << 10  // bytes that a body begins with
)

// errNoRoom: the bodies that are here already fill the memory for all of them;
// errShare: the caller's own fill what there is for one caller.
var (
	errNoRoom = errors.New("busy: the requests that are here already hold all the memory there is for them")
	errShare  = errors.New("your requests that are here already hold all the memory there is for one caller")
)

type bodies struct {
	each, room, share int64 // bytes: the largest body, all of them, those of one caller

	mu   sync.Mutex
	held int64
	by   map[string]int64
}

func newBodies(each int64) *bodies {
	room := max(allBodies, 4*each)
	return &bodies{each: each, room: room, share: room / 3, by: map[string]int64{}}
}

// take reserves bytes for a caller; below 0 gives them back.
func (b *bodies) take(caller string, bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case bytes > 0 && b.by[caller]+bytes > b.share:
		return errShare
	case bytes > 0 && b.held+bytes > b.room:
		return errNoRoom
	}
	b.held += bytes
	if b.by[caller] += bytes; b.by[caller] == 0 {
		delete(b.by, caller)
	}
	return nil
}

// read is the whole body, which comes from a reader of at most each bytes.
// release gives its room back, and must be called, also after an error.
func (b *bodies) read(caller string, from io.Reader) (all []byte, release func(), err error) {
	release = func() { _ = b.take(caller, -int64(cap(all))) }
	for {
		if len(all) == cap(all) {
			// One more than the largest, to see its end.
			grown := min(max(firstRoom, 2*int64(cap(all))), b.each+1)
			if err := b.take(caller, grown-int64(cap(all))); err != nil {
				return all, release, err
			}
			all = append(make([]byte, 0, grown), all...)
		}
		n, err := from.Read(all[len(all):cap(all)])
		all = all[:len(all)+n]
		if errors.Is(err, io.EOF) {
			return all, release, nil
		}
		if err != nil {
			return all, release, err
		}
	}
}
