// Import names and the names of the distributions that bring them.

package python

import (
	"strings"

	"github.com/agext/levenshtein"
)

// PackageFor is the normalised name of the distribution that brings a module,
// where the two differ by more than spelling; else the module's own top name.
func PackageFor(module string) string {
	top, _, _ := strings.Cut(module, ".")
	switch top {
	case "PIL":
		return "pillow"
	case "cv2":
		return "opencv-python"
	case "yaml":
		return "pyyaml"
	case "sklearn":
		return "scikit-learn"
	case "skimage":
		return "scikit-image"
	case "bs4":
		return "beautifulsoup4"
	case "dateutil":
		return "python-dateutil"
	case "dotenv":
		return "python-dotenv"
	case "docx":
		return "python-docx"
	case "pptx":
		return "python-pptx"
	case "magic":
		return "python-magic"
	case "jose":
		return "python-jose"
	case "slugify":
		return "python-slugify"
	case "telegram":
		return "python-telegram-bot"
	case "Crypto", "Cryptodome":
		return "pycryptodome"
	case "OpenSSL":
		return "pyopenssl"
	case "jwt":
		return "pyjwt"
	case "MySQLdb":
		return "mysqlclient"
	case "psycopg2":
		return "psycopg2-binary"
	case "serial":
		return "pyserial"
	case "usb":
		return "pyusb"
	case "zmq":
		return "pyzmq"
	case "git":
		return "gitpython"
	case "github":
		return "pygithub"
	case "fitz":
		return "pymupdf"
	case "wx":
		return "wxpython"
	case "gi":
		return "pygobject"
	case "OpenGL":
		return "pyopengl"
	case "win32api", "win32con", "win32gui", "win32com", "pythoncom":
		return "pywin32"
	case "attr":
		return "attrs"
	case "pkg_resources":
		return "setuptools"
	case "mpl_toolkits", "pylab":
		return "matplotlib"
	case "umap":
		return "umap-learn"
	case "faiss":
		return "faiss-cpu"
	case "Levenshtein":
		return "python-levenshtein"
	case "ruamel":
		return "ruamel-yaml"
	case "snappy":
		return "python-snappy"
	case "igraph":
		return "python-igraph"
	case "Bio":
		return "biopython"
	case "osgeo":
		return "gdal"
	case "shapefile":
		return "pyshp"
	case "nacl":
		return "pynacl"
	case "kafka":
		return "kafka-python"
	case "websocket":
		return "websocket-client"
	case "whois":
		return "python-whois"
	case "vlc":
		return "python-vlc"
	case "ldap":
		return "python-ldap"
	case "nmap":
		return "python-nmap"
	}
	return NormalName(top)
}

// Nearest is the name in allowed that a reader who imports module most likely
// means: the distribution that brings it, or one spelled nearly so. It answers
// false when none is near.
func Nearest(module string, allowed []string) (string, bool) {
	top, _, _ := strings.Cut(module, ".")
	own, brings := NormalName(top), PackageFor(module)
	if own == "" {
		return "", false
	}
	for _, name := range allowed {
		if normal := NormalName(name); normal == own || normal == brings {
			return name, true
		}
	}
	best, found, least := "", false, 3
	for _, name := range allowed {
		normal := NormalName(name)
		distance := levenshtein.Distance(own, normal, nil)
		if swapped(own, normal) {
			distance = 1 // the commonest slip of all, which the measure counts twice
		}
		// A slip or two in a long name, one in a short one; two letters are no likeness.
		if len(own) < 3 || distance > max(1, len(own)/4) {
			continue
		}
		if distance < least {
			best, found, least = name, true, distance
		}
	}
	return best, found
}

// swapped says whether two neighbouring letters changed places.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}
