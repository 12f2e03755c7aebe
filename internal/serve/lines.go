package serve

// What stands before the SDK on stdin. It ends a connection at the first line
// that is no JSON; a server that dies of a stray print of its client is no use.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lines passes on whole lines that are one JSON value each, and answers the
// others itself.
type lines struct {
	in    io.ReadCloser
	r     *bufio.Reader
	reply io.Writer
	most  int
	left  []byte // of the line that is being passed on
	batch atomic.Bool
}

func newLines(in io.ReadCloser, reply io.Writer, most int) *lines {
	return &lines{in: in, r: bufio.NewReaderSize(in, 64<<10), reply: reply, most: most}
}

func (l *lines) Close() error { return l.in.Close() }

// batched says whether the client ever sent several messages in one.
func (l *lines) batched() bool { return l.batch.Load() }

func (l *lines) Read(p []byte) (int, error) {
	for len(l.left) == 0 {
		line, err := l.line()
		if err != nil {
			return 0, err
		}
		l.left = line
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// line is the next good one, with its end; empty where there was none.
func (l *lines) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > l.most+1 {
			if err := l.skip(err); err != nil {
				return nil, err
			}
			return nil, l.refuse("the message is longer than this server takes")
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && len(bytes.TrimSpace(line)) == 0 {
			return nil, err
		}
		break // an error comes again with the next read
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil, nil
	}
	if _, err := readMessage(line); err != nil {
		return nil, l.refuse(strings.Replace(err.Error(), "the request body", "the line", 1))
	}
	if line[0] == '[' {
		l.batch.Store(true)
	}
	return append(line, '\n'), nil
}

// skip reads to the end of a line that is too long.
func (l *lines) skip(err error) error {
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.r.ReadSlice('\n')
	}
	return err
}

func (l *lines) refuse(msg string) error {
	text, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.reply, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":%s}}`+"\n", text)
	return err
}

// cancelledID is the call that a notification gives up.
func cancelledID(params json.RawMessage) (jsonrpc.ID, bool) {
	var p mcp.CancelledParams
	if json.Unmarshal(params, &p) != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(p.RequestID)
	return id, err == nil
}
