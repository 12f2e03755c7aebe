package serve

// Profiles of a server that runs, for go tool pprof. The package that usually
// serves them costs every start of pyrun a tenth of a millisecond before main.

import (
	"net/http"
	"runtime/pprof"
	"strconv"
	"time"
)

const maxProfile = 60 // seconds

// profileRoutes are for whoever sits at this machine: a profile shows what is in
// memory, and a page whose name leads to this machine would read it too.
func profileRoutes(mux *http.ServeMux) {
	local := newHosts("", nil)
	guard := func(h http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !local.answers(r.Host) {
				http.Error(w, "profiles are for localhost", http.StatusForbidden)
				return
			}
			h(w, r)
		}
	}
	mux.HandleFunc("GET /debug/pprof/profile", guard(profileCPU))
	mux.HandleFunc("GET /debug/pprof/{name}", guard(func(w http.ResponseWriter, r *http.Request) {
		p := pprof.Lookup(r.PathValue("name")) // goroutine, heap, allocs, block, mutex, threadcreate
		if p == nil {
			http.Error(w, "no such profile", http.StatusNotFound)
			return
		}
		debug, _ := strconv.Atoi(r.FormValue("debug")) // 0, for the tool, unless it is a number
		_ = p.WriteTo(w, debug)
	}))
}

func profileCPU(w http.ResponseWriter, r *http.Request) {
	seconds, err := strconv.Atoi(r.FormValue("seconds"))
	if err != nil || seconds < 1 || seconds > maxProfile {
		seconds = maxProfile / 2
	}
	if err := pprof.StartCPUProfile(w); err != nil {
		http.Error(w, "another profile is being taken", http.StatusConflict)
		return
	}
	defer pprof.StopCPUProfile()
	select {
	case <-time.After(time.Duration(seconds) * time.Second):
	case <-r.Context().Done():
	}
}
