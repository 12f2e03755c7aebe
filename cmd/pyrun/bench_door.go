package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/pyrun-dev/pyrun/internal/exec"
	"github.com/pyrun-dev/pyrun/internal/serve"
)

// benchDoor serves x over HTTP on loopback, as `pyrun serve` does, to one plain client.
func benchDoor(ctx context.Context, x *exec.Executor) (ask func(ctx context.Context, code, want string) (time.Duration, error), end func() error, err error) {
	server, err := serve.New(x, serve.Options{Version: versionName()})
	if err != nil {
		return nil, nil, err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- server.HTTP(serving, serve.Listeners{MCP: l}) }()
	client := &benchClient{http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}, base: "http://" + l.Addr().String()}
	end = func() error {
		stop()
		client.http.CloseIdleConnections()
		return <-ended
	}
	if err := client.ready(ctx); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return client.ask, end, nil
}

type benchClient struct {
	http *http.Client
	base string
}

// ready waits until the server has tried its walls, which costs it what is to be measured.
func (c *benchClient) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/readyz", nil)
		if err != nil {
			return err
		}
		text, status, err := c.do(r)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("the server is not ready: %s: %w", bytes.TrimSpace(text), ctx.Err())
		case err == nil && status == http.StatusOK:
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// ask is one call of execute_python: how long it took from the request to the last
// byte of the answer. What a client makes of JSON before and after is its own.
func (c *benchClient) ask(ctx context.Context, code, want string) (time.Duration, error) {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": "execute_python", "arguments": map[string]string{"code": code}},
	})
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/mcp", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	began := time.Now()
	text, status, err := c.do(r)
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	var told struct {
		Result struct {
			StructuredContent struct{ Stdout string }
		}
	}
	if err := json.Unmarshal(text, &told); err != nil || status != http.StatusOK || told.Result.StructuredContent.Stdout != want {
		return 0, fmt.Errorf("a call was answered with %d: %.300s", status, text)
	}
	return took, nil
}

func (c *benchClient) do(r *http.Request) (text []byte, status int, err error) {
	res, err := c.http.Do(r)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	text, err = io.ReadAll(res.Body)
	return text, res.StatusCode, err
}
