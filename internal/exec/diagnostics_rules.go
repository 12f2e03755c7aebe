package exec

// The codes of diagnostics: stable, by the hundred. docs/diagnostics.md explains
// each; a test holds the two together.

// Rule is one kind of diagnostic.
type Rule struct {
	Code    string
	Name    string // as in the heading of docs/diagnostics.md
	Summary string // one sentence
}

// The text of a source.
const (
	ruleSyntax    = "PYR101"
	ruleAwait     = "PYR102"
	ruleFence     = "PYR103"
	ruleNewlines  = "PYR104"
	ruleEncoding  = "PYR105"
	ruleNUL       = "PYR106"
	ruleSurrogate = "PYR107"
	ruleLarge     = "PYR108"
	ruleUnread    = "PYR109"
	ruleDeep      = "PYR110"
	ruleCrash     = "PYR111"
	ruleSlow      = "PYR112"
)

// Its inline metadata.
const (
	ruleDependencies = "PYR201"
	rulePython       = "PYR202"
	ruleBlocks       = "PYR203"
	ruleTOML         = "PYR204"
	ruleType         = "PYR205"
	ruleSpecifier    = "PYR206"
	ruleKey          = "PYR207"
)

// Its imports.
const (
	ruleImport     = "PYR301"
	ruleMissing    = "PYR302"
	ruleOtherName  = "PYR303"
	ruleRelative   = "PYR304"
	ruleVersion    = "PYR305"
	ruleShadow     = "PYR306"
	ruleShadowFile = "PYR307"
)

// Rules lists every kind of diagnostic by its code.
func Rules() []Rule {
	return []Rule{
		{ruleSyntax, "syntax error", "The interpreter that runs scripts cannot compile this source."},
		{ruleAwait, "await outside of a function", "A script is no notebook: await works inside async functions only."},
		{ruleFence, "Markdown fence", "The code arrived with the ``` lines that stood around it."},
		{ruleNewlines, `literal \n`, `The code arrived on one line, with \n in place of line breaks.`},
		{ruleEncoding, "encoding", "The bytes are not text in the encoding that Python takes them for."},
		{ruleNUL, "NUL byte", "Python source has no NUL byte."},
		{ruleSurrogate, "lone surrogate", "Half a character, which no encoding can carry."},
		{ruleLarge, "too large", "The source is longer than a script may be (max_code_bytes)."},
		{ruleUnread, "cannot be read", "The file or folder could not be read."},
		{ruleDeep, "too deep or too large to compile", "The interpreter's compiler gave up on it."},
		{ruleCrash, "the compiler failed", "The interpreter's compiler crashed on it."},
		{ruleSlow, "the compiler took too long", "The source was not compiled within the time of a run."},
		{ruleDependencies, "inline dependencies", "Packages are installed at build time from packages.txt, never by a script."},
		{rulePython, "requires-python", "The script asks for another Python than the one that runs it."},
		{ruleBlocks, "several metadata blocks", "Only one block of type script is allowed."},
		{ruleTOML, "metadata is not TOML", "The block of inline metadata cannot be read."},
		{ruleType, "metadata of the wrong type", "A key of the inline metadata has a value of the wrong type."},
		{ruleSpecifier, "not a version specifier", "The value of requires-python cannot be read."},
		{ruleKey, "unknown metadata key", "The specification has no such key, so it does nothing."},
		{ruleImport, "import of what is not allowed", "The module is in neither the standard library, the packages, nor beside the script."},
		{ruleMissing, "import of what is not installed", "The package is allowed, but this interpreter does not have it."},
		{ruleOtherName, "imported under another name", "The package is there; its import name is another one."},
		{ruleRelative, "relative import in a script", "What runs as a script lies in no package, so nothing is relative to it."},
		{ruleVersion, "not in this version's standard library", "The module has left the standard library, or has not come yet."},
		{ruleShadow, "hidden by a standard module", "A module beside the script has the name of a standard one, which is imported in its place."},
		{ruleShadowFile, "named as a standard module", "Elsewhere than in pyrun this file hides a standard module."},
	}
}
