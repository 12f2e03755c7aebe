// Package exec is the stair between a request and its result: every door calls
// Executor, and none owns a step of what it does.
//
// A Request is checked (check.go, inputs.go, limits.go, names.go) and, where
// policy says so, refused (refuse.go) before anything is started. It waits for
// one of a bounded number of workers (queue.go), becomes a sandbox.Policy
// (policy.go) and runs behind walls that were proved to stand (worker.go,
// pump.go, output.go). When nothing of it lives any more, its files are
// collected (artifacts.go, folder.go, runs.go), its fate is named (verdict.go)
// and a sentence may be added (hints.go). A Result is then never changed again.
//
// Where Options.Warm asks for it, copies of a Python that has started wait
// behind their walls: zygotes they are made from (zygotes.go), a pool of them
// (pool.go), how a request gets one (take.go) and which requests can (warm.go).
// All others, and all when something of it fails, start cold. Bench (bench.go)
// measures both.
//
// Validate takes the same stair with a parser in place of a script: sources go
// in one after the other (validate.go, validate_parser.go), and what it tells of
// them becomes findings (diagnostics.go and its kin, pure).
//
// Check (inspect.go) tells what this machine gives. It has the walls tried by
// runs like any other (attest.go) and lets only evidence from both sides of a
// wall count (attest_judge.go). The walls of a zygote's copies are tried in the
// same way before the pool gets it (attest_copies.go).
//
// Packages (packages.go, packagelist.go) makes the environment that runs use,
// when somebody asks for it by name; no request comes there.
//
// What comes out of the sandbox is hostile: the verdict rests on wait, the
// cgroup and the clock; names, sizes, types and the harness's report are bounded
// and believed by nobody. What runs where there are no walls (Options.Sandbox
// "none") is not protected against at all.
//
// The package is portable and makes no system calls of its own.
package exec
