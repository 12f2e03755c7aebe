package python

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func frame(tag byte, text string) string {
	return string(binary.BigEndian.AppendUint32([]byte{tag}, uint32(len(text)))) + text
}

func wholeError() string {
	return frame('T', "KeyError") + frame('M', "'a'") + frame('L', "3") + frame('C', "d['a']")
}

func TestReadReport(t *testing.T) {
	end := frame('.', "")
	cases := map[string]struct {
		data string
		want Report
		fail string
	}{
		"nothing told":   {data: end},
		"value":          {data: frame('V', "42") + end, want: Report{Value: "42"}},
		"error":          {data: wholeError() + end, want: Report{Error: &ReportedError{"KeyError", "'a'", 3, "d['a']"}}},
		"notes":          {data: frame('N', "a") + frame('N', "b") + end, want: Report{Notes: []string{"a", "b"}}},
		"bad bytes":      {data: frame('V', "a\xff\xed\xa0\xbdz") + end, want: Report{Value: "a\ufffd\ufffd\ufffd\ufffdz"}},
		"empty":          {fail: "left no report"},
		"no end":         {data: frame('V', "42"), fail: "cut off"},
		"after the end":  {data: end + "x", fail: "after the end"},
		"twice":          {data: frame('V', "1") + frame('V', "2") + end, fail: "second frame"},
		"unknown":        {data: frame('Z', "") + end, fail: "unknown frame"},
		"long value":     {data: frame('V', strings.Repeat("x", 4097)) + end, fail: "more than 4096"},
		"false length":   {data: "V\xff\xff\xff\xffx", fail: "more than"},
		"short":          {data: "V\x00\x00\x00\x05x", fail: "cut off"},
		"half an error":  {data: frame('T', "E") + end, fail: "not complete"},
		"no type":        {data: frame('T', "") + frame('M', "") + frame('L', "1") + frame('C', "") + end, fail: "not complete"},
		"bad line":       {data: frame('L', "-1") + end, fail: "not a number"},
		"large line":     {data: frame('L', "9999999999") + end, fail: "not a number"},
		"too many notes": {data: strings.Repeat(frame('N', "x"), 17) + end, fail: "notes"},
		"too large":      {data: strings.Repeat("x", MaxReport+1), fail: "more than 65536"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ReadReport(strings.NewReader(c.data))
			if c.fail != "" {
				if err == nil || !strings.Contains(err.Error(), c.fail) {
					t.Errorf("error %v, want one with %q", err, c.fail)
				}
				c.want = Report{}
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := ReadReport(strings.NewReader("")); !errors.Is(err, ErrNoReport) {
		t.Error(err)
	}
	broken := errors.New("broken")
	if _, err := ReadReport(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func FuzzReadReport(f *testing.F) {
	for _, seed := range []string{
		"", frame('.', ""), frame('V', "42") + frame('.', ""), wholeError() + frame('N', "n") + frame('.', ""),
		"V\xff\xff\xff\xff", "T\x00\x00\x00\x01", frame('V', "\xed\xa0\xbd") + frame('.', ""),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := ReadReport(strings.NewReader(string(data)))
		if err != nil {
			if report.Error != nil || report.Value != "" || report.Notes != nil {
				t.Fatalf("a report beside the error %v: %+v", err, report)
			}
			return
		}
		texts := append([]string{report.Value}, report.Notes...)
		if e := report.Error; e != nil {
			if e.Type == "" || e.Line < 0 {
				t.Fatalf("%+v", e)
			}
			texts = append(texts, e.Type, e.Message, e.Code)
		}
		for _, text := range texts {
			if !utf8.ValidString(text) || len(text) > 3*4096 {
				t.Fatalf("%q", text)
			}
		}
	})
}
