// What bootstrap.py reports: one file of frames, written when the script has
// ended, if there is something to say. The script can write that file too, so it
// is hostile input: bounded, parsed strictly, and nothing but words to show a reader.

package python

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxReport bounds a report file, in bytes.
const MaxReport = 64 << 10

// ErrNoReport is returned for an empty report. Where there is none at all, there
// was nothing to say, or the script left by os._exit or was killed.
var ErrNoReport = errors.New("the script left no report")

// Report is what the harness says about a script that has ended.
type Report struct {
	Error *ReportedError // nil when no exception was left uncaught; SystemExit is none
	Value string         // repr of the last expression, at most 4 KiB; empty for None
	Notes []string       // what the harness could not do
}

// ReportedError is an uncaught exception, as the last line of its traceback has it.
type ReportedError struct {
	Type    string // "KeyError", "json.decoder.JSONDecodeError"
	Message string // at most 2 KiB
	Line    int    // in the script's own file, from 1; 0 when it never passed through it
	Code    string // that line, at most 400 bytes
}

// A frame is a tag, a length (4 bytes, big endian) and that many bytes of UTF-8.
// Each tag comes at most once, but for notes; "." with no bytes ends the file.
const (
	tagType    = 'T'
	tagMessage = 'M'
	tagLine    = 'L' // decimal
	tagCode    = 'C'
	tagValue   = 'V'
	tagNote    = 'N'
	tagEnd     = '.'

	maxNotes = 16
)

// frameLimit is the most bytes a frame may hold; -1 for a tag that does not exist.
func frameLimit(tag byte) int {
	switch tag {
	case tagType:
		return 256
	case tagMessage:
		return 2048
	case tagLine:
		return 10
	case tagCode:
		return 400
	case tagValue:
		return 4096
	case tagNote:
		return 512
	case tagEnd:
		return 0
	}
	return -1
}

// ReadReport reads a report to its end. Bytes that are not UTF-8 become U+FFFD.
// An empty one is ErrNoReport; one that breaks a rule is an error that names it,
// and nothing of it is returned.
func ReadReport(r io.Reader) (Report, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxReport+1))
	switch {
	case err != nil:
		return Report{}, fmt.Errorf("read the harness's report: %w", err)
	case len(data) == 0:
		return Report{}, ErrNoReport
	case len(data) > MaxReport:
		return Report{}, fmt.Errorf("read the harness's report: more than %d bytes", MaxReport)
	}
	report, err := parseReport(data)
	if err != nil {
		return Report{}, fmt.Errorf("read the harness's report: %w", err)
	}
	return report, nil
}

func parseReport(data []byte) (Report, error) {
	var (
		report Report
		found  ReportedError
		seen   = map[byte]bool{}
	)
	for at := 0; ; {
		rest := data[at:]
		if len(rest) < 5 {
			return report, fmt.Errorf("cut off at byte %d", at)
		}
		tag, size := rest[0], binary.BigEndian.Uint32(rest[1:5])
		limit := frameLimit(tag)
		switch {
		case limit < 0:
			return report, fmt.Errorf("unknown frame %q at byte %d", tag, at)
		case size > uint32(limit):
			return report, fmt.Errorf("frame %q at byte %d has %d bytes, more than %d", tag, at, size, limit)
		case int(size) > len(rest)-5:
			return report, fmt.Errorf("frame %q at byte %d is cut off", tag, at)
		case seen[tag] && tag != tagNote:
			return report, fmt.Errorf("a second frame %q at byte %d", tag, at)
		}
		seen[tag] = true
		text := wellFormed(rest[5 : 5+size])
		at += 5 + int(size)
		switch tag {
		case tagType:
			found.Type = text
		case tagMessage:
			found.Message = text
		case tagCode:
			found.Code = text
		case tagValue:
			report.Value = text
		case tagLine:
			line, err := strconv.ParseUint(text, 10, 31)
			if err != nil {
				return report, fmt.Errorf("line %q is not a number", text)
			}
			found.Line = int(line)
		case tagNote:
			if len(report.Notes) == maxNotes {
				return report, fmt.Errorf("more than %d notes", maxNotes)
			}
			report.Notes = append(report.Notes, text)
		case tagEnd:
			if at != len(data) {
				return report, fmt.Errorf("%d bytes after the end", len(data)-at)
			}
			parts := 0
			for _, t := range []byte{tagType, tagMessage, tagLine, tagCode} {
				if seen[t] {
					parts++
				}
			}
			switch {
			case parts == 4 && found.Type != "":
				report.Error = &found
			case parts != 0:
				return report, errors.New("an error that is not complete")
			}
			return report, nil
		}
	}
}

// wellFormed turns each byte that is no UTF-8 into U+FFFD of its own.
func wellFormed(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	var b strings.Builder
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		b.WriteRune(r)
		data = data[n:]
	}
	return b.String()
}
