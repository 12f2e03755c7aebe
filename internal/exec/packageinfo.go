package exec

// What Packages finds, as JSON and as an error.

// Installed is an environment that Install made.
type Installed struct {
	Environment string        `json:"environment"`
	Python      string        `json:"python"` // its interpreter, as --python takes it
	Version     string        `json:"version"`
	Embedded    bool          `json:"embedded"`
	List        string        `json:"packages_file"`       // empty: the built-in list
	Lock        string        `json:"lock_file,omitempty"` // that was followed
	Packages    []PackageInfo `json:"packages"`            // never nil
	DurationMS  int64         `json:"duration_ms"`
	InUse       bool          `json:"in_use"` // runs take it without being told
}

// LockedPackages is a lock that was written.
type LockedPackages struct {
	Lock     string        `json:"lock_file"`
	List     string        `json:"packages_file"`
	Packages []PackageInfo `json:"packages"` // never nil
}

// PackageList is what List found.
type PackageList struct {
	Environment string        `json:"environment,omitempty"` // empty: the interpreter is in none
	Python      string        `json:"python"`
	Version     string        `json:"version"`
	Embedded    bool          `json:"embedded"`
	List        string        `json:"packages_file"` // empty: the built-in list
	Packages    []PackageInfo `json:"packages"`      // wanted ones first, by name; never nil
}

// Verification is what Verify found.
type Verification struct {
	Environment string   `json:"environment"`
	Packages    int      `json:"packages"`
	Files       int      `json:"files"`              // compared with their hash
	Unhashed    int      `json:"unhashed,omitempty"` // that have none
	Damage      []Damage `json:"damage"`             // never nil
}

// Damage is a file that is not as it was installed.
type Damage struct {
	Package string `json:"package,omitempty"` // empty: the file belongs to none
	Path    string `json:"path"`              // from the environment's folder
	Problem string `json:"problem"`
}

// PackagesError is why there is no environment, lock or list. What stood before stands.
type PackagesError struct {
	Msg     string // what was being done, then the cause; lower case
	Why     string // what pip said, or what is likely behind it; may be empty
	Remedy  string // what to do, may be empty
	Refused bool   // the caller's mistake, found before anything was tried
	Err     error  // may be nil
}

func (e *PackagesError) Error() string { return e.Msg }
func (e *PackagesError) Unwrap() error { return e.Err }
