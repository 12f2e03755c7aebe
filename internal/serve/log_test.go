package serve

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// A log that nobody reads now, or any more, stops nobody.
func TestLogNeverBlocks(t *testing.T) {
	block := make(chan struct{})
	var got logged
	log, closeLog := NewLog(writer(func(p []byte) (int, error) {
		<-block
		return got.Write(p)
	}), LogOptions{JSON: true})
	const said = logLines + 500
	start := time.Now()
	for range said {
		log.Info("line")
	}
	if d := time.Since(start); d > late {
		t.Errorf("it took %s", d)
	}
	close(block)
	closeLog()
	arrived, dropped := 0, 0
	for line := range strings.Lines(got.String()) {
		var l struct {
			Msg   string
			Lines int
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		dropped += l.Lines
		if l.Msg == "line" {
			arrived++
		}
	}
	if arrived+dropped != said || arrived < logLines || dropped == 0 {
		t.Errorf("%d arrived and %d were dropped of %d", arrived, dropped, said)
	}
}

func TestLogGone(t *testing.T) {
	log, closeLog := NewLog(writer(func([]byte) (int, error) { return 0, errors.New("gone") }), LogOptions{Level: slog.LevelDebug})
	log.Debug("line")
	stuck, closeStuck := NewLog(writer(func([]byte) (int, error) { select {} }), LogOptions{})
	stuck.Info("line")
	start := time.Now()
	closeLog()
	closeStuck()
	if d := time.Since(start); d > logFlush+late {
		t.Errorf("closing took %s", d)
	}
}

type writer func([]byte) (int, error)

func (f writer) Write(p []byte) (int, error) { return f(p) }
