// Modules that came into the standard library, or left it.

package python

import (
	"strconv"
	"strings"
)

// Move is what became of a module.
type Move struct {
	When    string // "left the standard library in 3.13"
	Instead string // what to do; may be empty
}

// Moved says whether a module is missing from the standard library of a
// version only because it came later, or left before.
func Moved(module, version string) (Move, bool) {
	if instead := python2(module); instead != "" {
		return Move{"is of Python 2", instead}, true
	}
	have := minor(version)
	if since := arrived(module); since > have && have > 0 {
		return Move{When: "came into the standard library in 3." + strconv.Itoa(since)}, true
	}
	if in, instead := left(module); in > 0 && in <= have {
		return Move{"left the standard library in 3." + strconv.Itoa(in), instead}, true
	}
	return Move{}, false
}

// minor is 14 of "3.14.6"; 0 of anything else.
func minor(version string) int {
	parts := strings.Split(version, ".")
	if len(parts) < 2 || parts[0] != "3" {
		return 0
	}
	n, _ := strconv.Atoi(parts[1])
	return n
}

// arrived is the minor version that brought a module, for those of 3.10 and later.
func arrived(module string) int {
	switch module {
	case "tomllib":
		return 11
	case "annotationlib", "compression":
		return 14
	}
	return 0
}

// left is the minor version that no longer has a module (PEP 594 and others).
func left(module string) (in int, instead string) {
	switch module {
	case "binhex":
		return 11, ""
	case "asynchat", "asyncore":
		return 12, "use asyncio"
	case "distutils":
		return 12, "use setuptools, shutil or subprocess"
	case "imp":
		return 12, "use importlib"
	case "smtpd":
		return 12, ""
	case "cgi", "cgitb":
		return 13, "use email and urllib.parse"
	case "crypt":
		return 13, "use hashlib"
	case "imghdr", "sndhdr":
		return 13, "look at the file's first bytes"
	case "lib2to3":
		return 13, "use ast"
	case "pipes":
		return 13, "use subprocess and shlex"
	case "telnetlib":
		return 13, "use socket"
	case "uu":
		return 13, "use base64 or binascii"
	case "aifc", "audioop", "chunk", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "spwd", "sunau", "xdrlib":
		return 13, ""
	}
	return 0, ""
}

// python2 is what became of a module of Python 2.
func python2(module string) string {
	switch module {
	case "ConfigParser":
		return "import configparser"
	case "Queue":
		return "import queue"
	case "StringIO", "cStringIO":
		return "from io import StringIO"
	case "Tkinter":
		return "import tkinter"
	case "cPickle":
		return "import pickle"
	case "urllib2", "urlparse":
		return "import urllib.request, urllib.parse"
	}
	return ""
}
