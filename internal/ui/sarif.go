package ui

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/chavacava/garif"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	homePage    = "https://github.com/pyrun-dev/pyrun"
)

// SARIF prints findings to stdout as a SARIF 2.1.0 log. Version is pyrun's own.
// Relative paths have to start at the repository's root.
func (u *UI) SARIF(r *exec.Report, version string) error {
	driver := garif.NewDriver("pyrun").WithInformationUri(homePage)
	driver.Version = version
	index := map[string]int{}
	for i, rule := range exec.Rules() {
		index[rule.Code] = i
		d := garif.NewRule(rule.Code)
		d.ShortDescription = garif.NewMultiformatMessageString(rule.Name)
		d.FullDescription = garif.NewMultiformatMessageString(rule.Summary)
		d.HelpUri = homePage + "/blob/main/docs/diagnostics.md#" + strings.ToLower(rule.Code)
		driver.Rules = append(driver.Rules, d)
	}
	run := garif.NewRun(garif.NewTool(driver))
	run.ColumnKind = "unicodeCodePoints"
	results := make([]*garif.Result, 0, len(r.Diagnostics))
	for _, d := range r.Diagnostics {
		text := d.Message
		if d.Fix != "" {
			text += "\n" + d.Fix
		}
		result := garif.NewResult(garif.NewMessageFromText(text))
		result.RuleId, result.RuleIndex, result.Level = d.Code, index[d.Code], garif.ResultLevel("error")
		if d.Severity == exec.SeverityNote {
			result.Level = "note"
		}
		result.Locations = []*garif.Location{location(d)}
		results = append(results, result)
	}
	// No results at all means to a reader of SARIF that nothing was looked at, so
	// the key stays when the list is empty.
	type ran struct {
		*garif.Run
		Results []*garif.Result `json:"results"`
	}
	return exec.Encode(u.out, "report", struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []ran  `json:"runs"`
	}{sarifSchema, string(garif.Version210), []ran{{run, results}}}, "  ")
}

func location(d exec.Diagnostic) *garif.Location {
	where := url.URL{Path: filepath.ToSlash(d.File)}
	at := garif.NewArtifactLocation()
	if filepath.IsAbs(d.File) {
		where.Scheme = "file"
	} else {
		at.UriBaseId = "%SRCROOT%"
	}
	at.Uri = where.String()
	place := garif.NewPhysicalLocation()
	place.ArtifactLocation = at
	if d.Line > 0 {
		place.Region = garif.NewRegion()
		place.Region.StartLine, place.Region.StartColumn = d.Line, d.Column
		place.Region.EndLine, place.Region.EndColumn = d.EndLine, d.EndColumn
	}
	l := garif.NewLocation()
	l.PhysicalLocation = place
	return l
}
