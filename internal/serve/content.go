package serve

// A Result for a model: text that stands alone, the same as an object, and
// images that can be looked at.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pyrun-dev/pyrun/internal/exec"
)

// How artifacts travel.
const (
	artifactsInline = "inline" // every one as base64, whatever it is
	artifactsAuto   = "auto"   // as what a model can use
)

const (
	maxStructured  = 256 << 10 // of text; beyond, the object would only double it
	maxImages      = 700 << 10 // of all image blocks: as base64, below the 1 MiB at which clients drop an answer
	maxImageSide   = 2000      // pixels: clients refuse more when an answer has several images
	maxContentText = 8 << 10
	maxContentAny  = 64 << 10
	maxStdioText   = 40_000 // characters: below the 50,000 at which clients put an answer aside
)

// content makes the answer of execute_python. r is the caller's own copy.
func (s *Server) content(r *exec.Result, mode string, stdio bool) (*mcp.CallToolResult, error) {
	asked := mode
	if mode == "" {
		mode, asked = s.options.Artifacts, s.options.Artifacts
	}
	if mode == "" {
		if mode = artifactsInline; stdio {
			mode = artifactsAuto
		}
	}
	var images []mcp.Content
	if mode == artifactsAuto {
		r.Artifacts, images = usable(r.Artifacts)
	}
	if stdio {
		// Who asks for every byte gets every byte; all else is kept short.
		fit(r, maxStdioText, asked != artifactsInline)
	}
	object, err := encode(r)
	if err != nil {
		return nil, err
	}
	text := indented(object)
	res := textResult(text)
	res.Content = append(res.Content, images...)
	if len(images) == 0 && len(text) <= maxStructured {
		res.StructuredContent = json.RawMessage(object)
	}
	return res, nil
}

// encode is r as one line.
func encode(r *exec.Result) ([]byte, error) {
	var b bytes.Buffer
	if err := r.Encode(&b, ""); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// indented is what Encode would have written with an indent, without another walk
// through the Result.
func indented(object []byte) string {
	var b bytes.Buffer
	b.Grow(2 * len(object))
	_ = json.Indent(&b, object, "", "  ") // fails only for what is no JSON
	return b.String()
}

// usable turns artifacts into what a model can use: images to look at, short
// text to read, small files as base64. The rest is named, with the way to it.
func usable(list []exec.Artifact) (out []exec.Artifact, images []mcp.Content) {
	left := int64(maxImages)
	out = make([]exec.Artifact, 0, len(list))
	for _, a := range list {
		if a.Error != "" || a.Content == nil {
			out = append(out, a)
			continue
		}
		data, why := a.Content, ""
		if isImage(a.MediaType) {
			if why = imageFault(a.MediaType, data); why == "" && a.Size > left {
				why = fmt.Sprintf("images are shown up to %s in one answer", bytesWord(maxImages))
			}
			if why == "" {
				left -= a.Size
				images = append(images, &mcp.ImageContent{Data: data, MIMEType: a.MediaType})
				a.Content, a.Index = nil, len(images) // content 0 is the text
				out = append(out, a)
				continue
			}
		}
		switch {
		case len(data) <= maxContentText && readable(data):
			text := string(data)
			a.Content, a.Text = nil, &text
		case len(data) <= maxContentAny:
		default:
			if why == "" {
				why = "only small files and images are"
			}
			a.Content, a.Error = nil, fmt.Sprintf("not in this answer (%s): %s; %s", bytesWord(a.Size), why, wayOut)
		}
		out = append(out, a)
	}
	return out, images
}

// wayOut is how to get at an artifact that was left out.
const wayOut = `print what is needed of it, or call again with artifacts "inline" to get every file as base64`

// readable tells text from other data that happens to be UTF-8.
func readable(p []byte) bool {
	if !utf8.Valid(p) {
		return false
	}
	for _, c := range p {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
