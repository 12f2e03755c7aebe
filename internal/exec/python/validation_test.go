package python

import (
	"bytes"
	"strings"
	"testing"
)

func TestParseFacts(t *testing.T) {
	for line, want := range map[string]string{
		`{}`:                       "",
		`{"failed":"MemoryError"}`: "",
		`{"imports":[{"name":"x","level":0,"dynamic":false,"place":[1,2,3,4],"guards":[],"text":""}]}`: "",
		``:                            "EOF",
		`{} {}`:                       "more than one",
		`{"verdict":"ok"}`:            "unknown field",
		`{"failed":1}`:                "cannot unmarshal",
		`{"imports":[{"level":0}]}`:   "nothing",
		`{"imports":[{"level":-1}]}`:  "nothing",
		`{"error":{"place":[1e99]}}`:  "cannot unmarshal",
		`{"error":{"place":"1:2"}}`:   "cannot unmarshal",
		strings.Repeat("[", MaxFacts): "exceeded max depth",
	} {
		_, err := ParseFacts([]byte(line))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: error %v, want %q", line, err, want)
		}
	}
}

func TestParseReady(t *testing.T) {
	if r, err := ParseReady([]byte(`{"stdlib":["os"],"installed":[]}`)); err != nil || r.Standard[0] != "os" {
		t.Error(r, err)
	}
	for _, line := range []string{"", "{}", `{"stdlib":[]}`, `{"stdlib":["os"],"more":1}`} {
		if _, err := ParseReady([]byte(line)); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
}

func TestWriteFrames(t *testing.T) {
	var b bytes.Buffer
	if err := WriteKnown(&b, []string{"numpy", "helper"}, []string{"random"}); err != nil {
		t.Fatal(err)
	}
	if err := WriteSource(&b, []byte("x=1"), true); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "K\x00\x00\x00\x14numpy\nhelper\n!randomM\x00\x00\x00\x03x=1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzParseFacts: whatever a process that was taken over says, it is a fact or an error.
func FuzzParseFacts(f *testing.F) {
	for _, seed := range []string{
		"{}", `{"failed":"x"}`, `{"error":{"message":"m","place":[0,-1,0,0],"await":false,"text":""}}`,
		`{"imports":[{"name":"x","level":1,"dynamic":true,"place":[1,2,3,4],"guards":[{"kind":"caught","group":1}],"text":""}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		facts, err := ParseFacts(line)
		if err != nil && (facts.Error != nil || facts.Failed != "" || facts.Imports != nil) {
			t.Fatal("facts beside an error")
		}
		for _, i := range facts.Imports {
			if i.Level < 0 || i.Level == 0 && i.Name == "" {
				t.Fatalf("%+v", i)
			}
		}
	})
}
