// One story, told by both generations of the TypeScript SDK over every transport:
//
//	node client.mjs URL_STATELESS URL_SESSIONS PYRUN
//
// It prints a line for each telling and ends with 1 when one went wrong.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as v2 from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HTTP1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [stateless, sessions, pyrun] = process.argv.slice(2);
const me = { name: "story", version: "1" };
const sdks = {
  "sdk 1": {
    client: () => new Client1(me),
    http: (url) => new HTTP1(new URL(url)),
    stdio: (args) => new Stdio1({ command: pyrun, args, stderr: "inherit" }),
    call: (c, params, options) => c.callTool(params, undefined, options),
  },
  "sdk 2": {
    client: () => new v2.Client(me),
    http: (url) => new v2.StreamableHTTPClientTransport(new URL(url)),
    stdio: (args) => new Stdio2({ command: pyrun, args, stderr: "inherit" }),
    call: (c, params, options) => c.callTool(params, options),
  },
};

const plot = `
import base64, os
png = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
open(os.path.join(os.environ["ARTIFACTS_DIR"], "dot.png"), "wb").write(png)
print("drawn")
`;

async function story(sdk, transport) {
  const c = sdk.client();
  await c.connect(transport());
  const execute = (args, options) => sdk.call(c, { name: "execute_python", arguments: args }, options);
  const json = (r) => JSON.parse(r.content[0].text);

  const { tools } = await c.listTools();
  assert.ok(tools.some((t) => t.name === "execute_python"));
  assert.equal(c.getServerCapabilities().prompts, undefined);

  const sum = await execute({ code: "print(6 * 7)\n'é'" });
  assert.equal(json(sum).stdout, "42\n");
  assert.equal(json(sum).value, "'é'");
  assert.deepEqual(sum.structuredContent, json(sum));
  assert.ok(!sum.isError);

  const file = await execute({ code: "print(open('a.txt').read())", files: JSON.stringify([{ path: "a.txt", content: "hi" }]) });
  assert.equal(json(file).stdout, "hi\n");

  const image = await execute({ code: plot, artifacts: "auto" });
  assert.equal(image.content[1].type, "image");
  assert.equal(image.content[1].mimeType, "image/png");
  assert.equal(image.structuredContent, undefined);
  assert.equal(json(image).artifacts[0].content_index, 1);

  const failed = await execute({ code: "1/0" });
  assert.ok(!failed.isError, "a script that fails is no error of the tool");
  assert.equal(json(failed).exit_code, 1);

  const wrong = await execute({ script: "print(1)" });
  assert.ok(wrong.isError);
  assert.match(wrong.content[0].text, /script is not an argument/);

  const beats = [];
  // Longer than the client waits, but for the word that comes every five seconds, be it late.
  await execute({ code: "import time; time.sleep(9)" }, { onprogress: (p) => beats.push(p.progress), timeout: 8000, resetTimeoutOnProgress: true });
  assert.ok(beats.length >= 2 && beats[1] > beats[0], `progress: ${beats}`);

  // A cancelled run is killed: its marker in the process table goes away.
  const mark = `story${process.pid}${Math.floor(Math.random() * 1e9)}`;
  const alive = () => spawnSync("pgrep", ["-f", mark]).status === 0;
  const gone = new AbortController();
  // On a program that the script starts: a warm copy shows no arguments of its own outside.
  const code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)', sys.argv[1]])";
  const cancelled = execute({ code, args: [mark], timeout: 60 }, { signal: gone.signal });
  cancelled.catch(() => {});
  await until(alive, "the run was never seen");
  gone.abort("changed my mind");
  await assert.rejects(cancelled);
  await until(() => !alive(), "the cancelled run lives");
  assert.equal(json(await execute({ code: "print('next')" })).stdout, "next\n");

  await c.close();
  const again = sdk.client();
  await again.connect(transport());
  assert.equal(json(await sdk.call(again, { name: "execute_python", arguments: { code: "print('again')" } })).stdout, "again\n");
  await again.close();
}

async function until(done, why) {
  for (let i = 0; i < 600; i++) {
    if (done()) return;
    await new Promise((r) => setTimeout(r, 100));
  }
  throw new Error(why);
}

let wrong = 0;
for (const [name, sdk] of Object.entries(sdks)) {
  const transports = {
    http: () => sdk.http(stateless),
    "http with sessions": () => sdk.http(sessions),
    stdio: () => sdk.stdio(["serve", "--transport", "stdio", "--artifacts", "auto"]),
  };
  for (const [over, transport] of Object.entries(transports)) {
    const began = Date.now();
    try {
      await story(sdk, transport);
      console.log(`✓ ${name} over ${over} (${Date.now() - began} ms)`);
    } catch (e) {
      wrong = 1;
      console.log(`✗ ${name} over ${over}: ${e.stack}`);
    }
  }
}
process.exit(wrong);
