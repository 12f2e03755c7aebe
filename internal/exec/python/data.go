// Data of this machine that scripts look for: time zones, the C.UTF-8 locale,
// fonts, CA certificates. It is looked up at every start (a few stats), as it
// comes and goes without the interpreter changing.

package python

import (
	"os"
	"path/filepath"
)

// caInside is where a bundle stands when the interpreter names no place that can hold one.
const caInside = "/etc/ssl/cert.pem"

// addData adds what this machine has. A machine without /usr/share/zoneinfo
// leaves zoneinfo empty: installing its tzdata package, or the PyPI one among
// the packages, fills it. /etc/ssl/private is never shown.
func addData(i *Interpreter, cafile string, sites []string) {
	// The record's slices are shared by nobody, yet growing them in place is a
	// habit that ends badly.
	i.Mounts = append([]Mount(nil), i.Mounts...)
	i.showData("/usr/share/zoneinfo", "/usr/share/zoneinfo")
	i.showData("/usr/lib/locale/C.utf8", "/usr/lib/locale/C.utf8")
	for _, p := range i.Packages {
		if name := NormalName(p.Name); name == "matplotlib" || name == "pillow" {
			i.showData("/usr/share/fonts", "/usr/share/fonts")
			i.showData("/usr/local/share/fonts", "/usr/local/share/fonts")
			if i.shows("/usr/bin") { // matplotlib asks fc-list, which complains without
				i.showData("/etc/fonts", "/etc/fonts")
			}
			break
		}
	}
	addCertificates(i, cafile, sites)
}

func addCertificates(i *Interpreter, cafile string, sites []string) {
	bundle := caBundle(sites)
	if bundle == "" {
		return
	}
	i.EnvOutside = append(i.EnvOutside, "SSL_CERT_FILE="+bundle)
	target := filepath.Clean(cafile)
	if filepath.IsAbs(target) && i.shows(target) {
		// OpenSSL's own place lies in a mount, where nothing can be added. Mostly
		// it is a link that leads out; else a variable must lead elsewhere.
		real, err := filepath.EvalSymlinks(target)
		switch {
		case err != nil:
			target = ""
		case i.shows(real):
			return
		default:
			bundle, target = real, real
		}
	}
	if !filepath.IsAbs(target) {
		target = caInside
		i.Env = append(append([]string(nil), i.Env...), "SSL_CERT_FILE="+target)
	}
	i.showData(bundle, target)
}

// caBundle is this machine's file of certificates, else the one in certifi, in
// pip, or beside the embedded interpreter (writeRoots).
func caBundle(sites []string) string {
	var places []string
	if rootIsSafe {
		places = []string{
			"/etc/ssl/certs/ca-certificates.crt", // Debian, Arch, Alpine
			"/etc/pki/tls/certs/ca-bundle.crt",   // Fedora
			"/etc/ssl/ca-bundle.pem",             // openSUSE
			"/etc/ssl/cert.pem",                  // others
		}
	}
	for _, dir := range sites {
		places = append(places, filepath.Join(dir, "certifi/cacert.pem"), filepath.Join(dir, "pip/_vendor/certifi/cacert.pem"))
	}
	for _, place := range places {
		if info, err := os.Stat(place); err == nil && info.Mode().IsRegular() {
			return place
		}
	}
	return ""
}
