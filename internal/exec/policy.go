package exec

// What one job may do: a job and an interpreter become a sandbox.Policy. Pure.

import (
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/pyrun-dev/pyrun/internal/exec/python"
	"github.com/pyrun-dev/pyrun/internal/exec/sandbox"
)

// The job's places, as the script sees them (below Place.Root, where there is one).
const (
	jobDir       = "/job"
	inputsDir    = "/job/inputs"
	artifactsDir = "/job/artifacts"
	tempDir      = "/tmp"
	shmDir       = "/dev/shm"
	cacheDir     = "/tmp/.cache"
	fontsDir     = "/tmp/.cache/matplotlib"
	harnessDir   = "/run/harness"
	reportDir    = "/run/pyrun"
	reportName   = "report"
)

// The same places in the store that outlives the run.
const (
	storeJob       = "job"
	storeArtifacts = "artifacts" // below storeJob
	storeReport    = "report"
)

// policyFor says all that j may see, write and use.
func policyFor(j *job, in *python.Interpreter, files []loaded, at sandbox.Place, network sandbox.Network) sandbox.Policy {
	under := func(p string) string { return filepath.FromSlash(at.Root + p) }
	outside := at.Root != "" // no root of its own: the interpreter stands where it stands
	program, env, report := in.Path, in.Env, reportDir
	if outside {
		// A folder that is called in the store as it is by the script needs no link, which Windows may refuse.
		program, env, report = in.Source, in.EnvOutside, "/"+storeReport
	}
	p := sandbox.Policy{
		Argv:    python.Command(in, jobFor(j, under, report, outside)),
		Env:     environment(runtime.GOOS, j, program, env, under),
		Dir:     under(jobDir),
		Sealed:  []string{under(inputsDir)},
		Network: network,
		Limits:  j.limits,
		Writable: []sandbox.Dir{
			{Path: under(jobDir), Name: storeJob, Mode: 0o700},
			{Path: under(artifactsDir), Name: storeJob + "/" + storeArtifacts, Mode: 0o700},
			{Path: under(tempDir), Name: "tmp", Mode: 0o1777},
			{Path: under(report), Name: storeReport, Mode: 0o700},
		},
		Files: []sandbox.File{
			{Path: under(path.Join(harnessDir, in.HarnessName)), Mode: 0o444, Data: in.Harness},
			{Path: under(path.Join(jobDir, j.name)), Mode: 0o644, Data: j.code},
		},
	}
	if !outside {
		p.Writable = append(p.Writable, sandbox.Dir{Path: shmDir, Name: "shm", Mode: 0o1777})
		for _, m := range in.Mounts {
			p.Binds = append(p.Binds, sandbox.Bind{Source: m.Source, Target: m.Target, NoExec: m.Data})
		}
		for _, l := range in.Links {
			p.Links = append(p.Links, sandbox.Link{Path: l.Path, Target: l.Target})
		}
	}
	for _, f := range files {
		target := under(path.Join(inputsDir, f.name))
		if f.source != "" {
			p.Binds = append(p.Binds, sandbox.Bind{Source: f.source, Target: target, NoExec: true})
		} else {
			p.Files = append(p.Files, sandbox.File{Path: target, Mode: 0o444, Data: f.data})
		}
	}
	for _, name := range visible(files, j.name) {
		p.Links = append(p.Links, sandbox.Link{Path: under(path.Join(jobDir, name)), Target: path.Join("inputs", name)})
	}
	if j.fontSeed != nil {
		p.Files = append(p.Files, sandbox.File{Path: under(path.Join(fontsDir, j.fontSeed.name)), Mode: 0o644, Data: j.fontSeed.data})
	}
	return p
}

// jobFor says what the interpreter is to do.
func jobFor(j *job, under func(string) string, report string, outside bool) python.Job {
	return python.Job{
		Script:     under(path.Join(jobDir, j.name)),
		Report:     under(path.Join(report, reportName)),
		HarnessDir: under(harnessDir),
		Args:       j.args,
		Value:      j.value,
		Figures:    j.figures,
		StdlibOnly: j.stdlib,
		Outside:    outside,
	}
}

// visible lists the top names of inputs that can be seen in the working
// directory too, without those that would stand on something of the job's own.
func visible(files []loaded, script string) []string {
	var names []string
	for _, f := range files {
		top, _, _ := strings.Cut(f.name, "/")
		switch top {
		case script, path.Base(inputsDir), path.Base(artifactsDir):
			continue
		}
		names = append(names, top)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// searchPath is PATH: the interpreter's folder, then the system's own.
func searchPath(goos, program string, extra []string) string {
	if goos != "windows" {
		return strings.Join([]string{path.Dir(program), "/usr/local/bin", "/usr/bin", "/bin"}, ":")
	}
	dirs := []string{program[:max(0, strings.LastIndexAny(program, `\/`))]}
	for _, v := range extra {
		if root, ok := strings.CutPrefix(v, "SYSTEMROOT="); ok {
			dirs = append(dirs, root+`\System32`, root)
		}
	}
	return strings.Join(dirs, ";")
}

// environment is built from nothing; extra is what the interpreter needs, and
// what the request adds may replace all but the names that checkWords keeps.
func environment(goos string, j *job, program string, extra []string, under func(string) string) []string {
	threads := strconv.Itoa(min(numCPU(), 4)) // each thread of a BLAS costs memory at import
	env := []string{
		"PATH=" + searchPath(goos, program, extra),
		"HOME=" + under(jobDir),
		"TMPDIR=" + under(tempDir),
		"USER=sandbox",
		"LOGNAME=sandbox",
		"LANG=C.UTF-8",
		"TZ=UTC",
		"COLUMNS=200",
		"PYTHONUTF8=1",
		"PYTHONUNBUFFERED=1",
		"PYTHONDONTWRITEBYTECODE=1",
		"PYTHONFAULTHANDLER=1",
		"PYTHONNOUSERSITE=1",
		"MPLBACKEND=Agg",
		"MPLCONFIGDIR=" + under(fontsDir),
		"XDG_CACHE_HOME=" + under(cacheDir),
		"NUMBA_CACHE_DIR=" + under(cacheDir+"/numba"),
		"HF_HOME=" + under(cacheDir+"/huggingface"),
		"OMP_NUM_THREADS=" + threads,
		"OPENBLAS_NUM_THREADS=" + threads,
		"MKL_NUM_THREADS=" + threads,
		"NUMEXPR_NUM_THREADS=" + threads,
		"INPUTS_DIR=" + under(inputsDir),
		"ARTIFACTS_DIR=" + under(artifactsDir),
	}
	if goos == "windows" { // its names for HOME, TMPDIR, USER
		env = append(env, "USERPROFILE="+under(jobDir), "TEMP="+under(tempDir), "TMP="+under(tempDir), "USERNAME=sandbox")
	}
	env = append(env, extra...)
	if len(j.env) == 0 {
		return env
	}
	env = slices.DeleteFunc(env, func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		_, replaced := j.env[name]
		return replaced
	})
	added := make([]string, 0, len(j.env))
	for name, value := range j.env {
		added = append(added, name+"="+value)
	}
	slices.Sort(added)
	return append(env, added...)
}

// numCPU is what this process may use: its affinity and, in a container, its quota.
func numCPU() int { return max(1, min(runtime.NumCPU(), runtime.GOMAXPROCS(0))) }
