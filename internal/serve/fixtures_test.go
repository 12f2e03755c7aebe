package serve

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestServeFixtures is the server for the programs of testdata/clients: the real
// one over the real Executor, and beside the real tools those that conformance
// suites call. It serves at PYRUN_TEST_LISTEN, prints its URL, and ends with stdin.
func TestServeFixtures(t *testing.T) {
	address := os.Getenv("PYRUN_TEST_LISTEN")
	if address == "" {
		t.Skip("this is a server: testdata/clients/run starts it")
	}
	s := newServer(t, core(t), Options{Sessions: os.Getenv("PYRUN_TEST_SESSIONS") != "", Tools: []string{toolExecute, toolValidate, toolCheck, toolRun}})
	addFixtures(s.sdk)
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.HTTP(ctx, Listeners{MCP: l}) }()
	fmt.Printf("http://%s/mcp\n", l.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// addFixtures adds the tools that conformance suites call. Their words are the suites'.
func addFixtures(s *mcp.Server) {
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
	image := func() mcp.Content {
		data, _ := base64.StdEncoding.DecodeString(pixel)
		return &mcp.ImageContent{Data: data, MIMEType: "image/png"}
	}
	say := func(text string) mcp.Content { return &mcp.TextContent{Text: text} }
	resource := func(uri, kind, text string) mcp.Content {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: kind, Text: text}}
	}
	add := func(name string, content ...mcp.Content) {
		s.AddTool(&mcp.Tool{Name: name, Description: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: content, IsError: name == "test_error_handling"}, nil
			})
	}
	add("test_simple_text", say("This is a simple text response for testing."))
	add("test_image_content", image())
	add("test_embedded_resource", resource("test://embedded-resource", "text/plain", "This is an embedded resource content."))
	add("test_multiple_content_types", say("Multiple content types test:"), image(),
		resource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))
	add("test_error_handling", say("This tool intentionally returns an error for testing"))
	add("test_audio_content", &mcp.AudioContent{Data: []byte("RIFF\x24\x00\x00\x00WAVEfmt "), MIMEType: "audio/wav"})
	// They ask the client for nothing and log nothing, as all of pyrun's tools.
	add("test_streaming_elicitation", say("done"))
	add("test_logging_tool", say("done"))
	s.AddTool(&mcp.Tool{Name: "test_tool_with_progress", Description: "progress", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for done := 0.0; done <= 100; done += 50 {
				if token := req.Params.GetProgressToken(); token != nil {
					_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100})
				}
				time.Sleep(50 * time.Millisecond)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{say("done")}}, nil
		})
	s.AddTool(&mcp.Tool{Name: "json_schema_2020_12_tool", Description: "a schema", InputSchema: json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
		`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
		`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},` +
		`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{say("ok")}}, nil
		})
}
