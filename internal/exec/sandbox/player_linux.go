//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"unsafe"
)

// player is the machine code of player_linux_$GOARCH.s. It is not a function Go may
// call: it never returns.
//
//lint:ignore U1000 go vet wants the declaration beside the assembly
func player()

// playerStart is the address of player's first byte.
func playerStart() uintptr

// playerEnd stands behind player's last instruction.
const playerEnd = "pyrun-en"

// playerCode returns player's bytes. The assembler gives a text symbol no
// length that Go can ask for, so its end is looked for.
func playerCode() ([]byte, error) {
	const most = 1024
	// The bytes lie in this program's own text, which is never moved or freed.
	start := *(*unsafe.Pointer)(unsafe.Pointer(&[1]uintptr{playerStart()}))
	text := unsafe.Slice((*byte)(start), most)
	end := bytes.Index(text, []byte(playerEnd))
	if end < 0 {
		return nil, errors.New("sandbox: the player's end mark is missing")
	}
	return text[:end], nil
}
