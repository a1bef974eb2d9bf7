#!/usr/bin/env python3
"""Reads what users read: the string literals of app, core and views, the help pages and README. Reads all comments, too.

Reports, with file and line, expressions of expressions.txt, doubled words, units in several spellings and sentences of more than
35 words; in comments only the expressions that are not marked "texts". Reports texts of the window that do not go through Qt's translation or are joined from pieces. If hunspell and its British dictionary are
installed, reports words that neither it nor words.txt has. The exit code is 1 if there are any.
`check.py --self-test` checks that each rule finds its violations."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MOST_WORDS = 35
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

STRING = re.compile(r'(?:u8|u|L)?"((?:[^"\\\n]|\\.)*)"')
TOKEN = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<raw>R"(\w*)\((.*?)\)\3")|(?P<string>(?:u8)?"(?:[^"\\\n]|\\.)*")|(?P<char>\'(?:[^\'\\\n]|\\.)+\')',
                   re.S)
UNITS = [
    (re.compile(r"\b(msecs?|usecs?|nsecs?|secs|mins|hrs)\b"), "ms, µs, ns, s, min, h"),
    (re.compile(r"\bpercents\b", re.I), "%"),
    (re.compile(r"\{[^}]*\} us\b|%\d us\b"), "µs"),
    (re.compile(r"\{[^}]*\}%(?!\d)|%\d%(?!\d)"), "a space before %"),
]
SHOWN = re.compile(  # calls that show their first argument in the window
    r"\b(?:set(?:Text|ToolTip|StatusTip|WhatsThis|WindowTitle|PlaceholderText|AccessibleName|AccessibleDescription|Title"
    r"|Message|LabelText|Prefix|Suffix|NameFilters?|HorizontalHeaderLabels)|add(?:Action|Menu|Tab|Row|Items?|Button|ToolBar)"
    r"|showMessage|note|say|Q(?:Label|PushButton|ToolButton|CheckBox|RadioButton|GroupBox|Action|Menu|DockWidget|StandardItem)"
    r"(?: \w+)?)\(\s*(?:[^()\",;{}]*\?\s*|\{\s*)?(?:(?:QStringLiteral|QLatin1String|QString)\(\s*)?(?=\")"
)
NAMES = {"L1"}  # the same in every language
# A text that other texts are joined to, which cannot be translated: write one text with places (%1).
FRAGMENT = re.compile(r'(?P<suffix>Suffix\(\s*(?:\w+::)?)?\btr\(\s*"(?P<text>(?:[ ,;:]|\. )(?:[^"\\\n]|\\.)*)"')
SEPARATORS = {" or ", " and "}  # of lists
# Not prose: code, tags, placeholders, addresses, escapes; options; words with digits or marks of paths and assignments.
NOT_PROSE = [
    re.compile(r"`[^`]*`|https?://\S+|<[^>]*>|\{[^}]*\}|\]\([^)]*\)|\\[a-z]|%[a-z]\b"),
    re.compile(r"[\w./*:=%-]*[\d_/=*@#][\w./*:=-]*|--?[a-z][\w-]*|[.:][a-z]+\b"),
]
WORD = re.compile(r"[A-Za-zÀ-ÿ]{3,}")
DOUBLE = re.compile(r"\b([A-Za-z]{2,}) \1\b")
FINE_TWICE = {"that that", "had had", "is is", "name name"}


def expressions(of_comments=False):
    rules = []
    for line in (HERE / "expressions.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, instead, *only = line.split("\t")
            if not (only and of_comments):
                rules.append((re.compile(pattern, re.I), instead))
    return rules


def literals(source):
    """(line, text) of the string literals, those that the compiler joins as one."""
    found, last_end = [], None
    for token in TOKEN.finditer(source):
        if token.group("comment"):
            continue
        if token.group("string") is None:
            last_end = None
            continue
        text = STRING.fullmatch(token.group("string")).group(1)
        joined = last_end is not None and not re.sub(r"//[^\n]*|QStringLiteral|\s", "", source[last_end : token.start()])
        if joined:
            found[-1] = (found[-1][0], found[-1][1] + text)
        else:
            found.append((source.count("\n", 0, token.start()) + 1, text))
        last_end = token.end()
    return found


def untranslated(source):
    """(line, text) of literals that are shown in the window as they are."""
    code = TOKEN.sub(lambda token: re.sub(r"[^\n]", " ", token.group(0)) if token.group("comment") else token.group(0), source)
    for call in SHOWN.finditer(code):
        text = STRING.match(code, call.end()).group(1)
        if text not in NAMES and re.search(r"[A-Za-z]", re.sub(r"<[^>]*>|\\[nt]", "", text)):
            yield code.count("\n", 0, call.end()) + 1, text


def fragments(source):
    """(line, text) of texts for translation that begin with a blank or a mark."""
    code = TOKEN.sub(lambda token: re.sub(r"[^\n]", " ", token.group(0)) if token.group("comment") else token.group(0), source)
    for found in FRAGMENT.finditer(code):
        if not found.group("suffix") and found.group("text") not in SEPARATORS:
            yield code.count("\n", 0, found.start("text")) + 1, found.group("text")


def is_prose(text):
    return len(re.findall(r"[A-Za-zµ]{2,}", text)) >= 2 and " " in text


def plain(text):
    text = text.replace("\\n", " \n").replace("\\t", " ").replace('\\"', '"').replace("&amp;", "and")
    text = re.sub(r"</?(?:p|td|tr|table|li|ul|b|i|br|h\d)\b[^>]*>", " ", text)
    return re.sub(r"&(?=[A-Za-z])", "", text)


def problems_of(text, rules):
    for rule, instead in rules:
        for hit in rule.finditer(text):
            yield f"'{hit.group(0)}': write {instead}"
    for hit in DOUBLE.finditer(text):
        if hit.group(0).lower() not in FINE_TWICE:
            yield f"doubled word '{hit.group(0)}'"
    for rule, instead in UNITS:
        for hit in rule.finditer(text):
            yield f"unit '{hit.group(0)}': write {instead}"
    for sentence in re.split(r"(?<=[.!?;])\**\s|(?<=[.!?;]\*\*)\s|\n|: ", text):
        words = re.findall(r"[^\s–—·=+×÷/()|]+", sentence)
        if len(words) > MOST_WORDS:
            yield f"sentence of {len(words)} words: {sentence.strip()[:70]}…"


def words_of(text):
    """Words in small letters or with a capital first; abbreviations and names like PyTorch are not checked."""
    for rule in NOT_PROSE:
        text = rule.sub(" ", text)
    return [word for word in WORD.findall(text) if word[1:].islower()]


def misspelt(words):
    """The words that are in neither the dictionary nor words.txt; none, with a message, without hunspell."""
    known = {word for word in (HERE / "words.txt").read_text().split("\n") if word and not word.startswith("#")}
    words = sorted(word for word in set(words) if word not in known and word.lower() not in known)
    if not shutil.which("hunspell"):
        print("spelling is not checked: hunspell is not installed")
        return set()
    done = subprocess.run(["hunspell", "-i", "utf-8", "-d", "en_GB", "-l"], input="\n".join(words), capture_output=True, text=True)
    if done.returncode != 0:
        print("spelling is not checked: hunspell has no dictionary en_GB")
        return set()
    return set(done.stdout.split())


def texts_of_source(path):
    for line, text in literals(path.read_text()):
        if is_prose(text):
            yield line, plain(text)


def texts_of_page(path):
    """Paragraphs, items, headings and cells, without code."""
    code, start, paragraph = False, 0, []
    for number, line in enumerate(path.read_text().splitlines() + [""], 1):
        if line.startswith("```"):
            code = not code
            line = ""
        if code:
            continue
        breaks = not line.strip() or re.match(r"\s*(- |\d+\. |\||#|>)", line)
        if breaks and paragraph:
            yield start, " ".join(paragraph)
            paragraph = []
        if line.startswith("|"):
            for cell in line.strip("| ").split("|"):
                yield number, re.sub(r"`[^`]*`", "X", cell.strip())
        elif line.strip():
            start = start if paragraph else number
            paragraph.append(re.sub(r"`[^`]*`", "X", re.sub(r"\]\([^)]*\)", "]", line.strip().lstrip("->#0123456789. "))))


def comments(path):
    """(line, text) of the comments, consecutive lines joined as one; docstrings are comments."""
    source = path.read_text()
    if path.suffix in (".cpp", ".h"):
        blank = lambda token: re.sub(r"[^\n]", " ", token.group(0))
        source = TOKEN.sub(lambda token: token.group(0) if token.group("comment") else blank(token), source)
        found = re.finditer(r"//[/!<]*([^\n]*)|/\*(.*?)\*/", source, re.S)
    else:
        found = re.finditer(r'(?<![^\s])#([^!\n][^\n]*)|"""(.*?)"""', source, re.S)
    joined, last_line = [], None
    for comment in found:
        line = source.count("\n", 0, comment.start()) + 1
        text = " ".join((comment.group(1) or comment.group(2) or "").split())
        if joined and line - 1 == last_line:
            joined[-1] = (joined[-1][0], joined[-1][1] + " " + text)
        else:
            joined.append((line, text))
        last_line = line + comment.group(0).count("\n")
    return joined


def sources_with_comments():
    for folder in ("app", "core", "views", "tests", "packaging"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and (path.suffix in (".cpp", ".h", ".py", ".sh") or path.name == "CMakeLists.txt" or not path.suffix):
                if path != pathlib.Path(__file__).resolve():
                    yield path


def run():
    rules, count, checked = expressions(), 0, 0
    sources = [path for folder in ("app", "core", "views") for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".cpp", ".h")]
    files = [(path, texts_of_source) for path in sources]
    files += [(path, texts_of_page) for path in sorted((ROOT / "resources/help").glob("*.md")) + [ROOT / "README.md"]]
    places = {}  # first place of each word
    for path, texts_of in files:
        for line, text in texts_of(path):
            checked += 1
            for word in words_of(text):
                places.setdefault(word, (path, line))
            for problem in problems_of(text, rules):
                count += 1
                print(f"{path.relative_to(ROOT)}:{line}: {problem}")
    rules = expressions(of_comments=True)
    for path in sources_with_comments():
        for line, text in comments(path):
            for rule, instead in rules:
                for hit in rule.finditer(text):
                    count += 1
                    print(f"{path.relative_to(ROOT)}:{line}: comment '{hit.group(0)}': write {instead}")
    for word in sorted(misspelt(places)):
        path, line = places[word]
        count += 1
        print(f"{path.relative_to(ROOT)}:{line}: '{word}' is not in the dictionary; if it is right, add it to tests/language/words.txt")
    for path in sorted(path for folder in ("app", "views") for path in (ROOT / folder).rglob("*") if path.suffix in (".cpp", ".h")):
        for line, text in untranslated(path.read_text()):
            count += 1
            print(f"{path.relative_to(ROOT)}:{line}: '{text}' is shown without tr()")
        for line, text in fragments(path.read_text()):
            count += 1
            print(f"{path.relative_to(ROOT)}:{line}: '{text}' is joined to another text: write one text with %1")
    print(f"{checked} texts of {len(files)} files, {count} problems")
    return 1 if count else 0


def self_test():
    rules = expressions()
    bad = ["which is told apart", "it did not end in peace", "rows rows are", "took 5 msec", "took {} us", " ".join(["word"] * 36) + "."]
    good = ["36 % of the variability (95 % interval 31–40 %), 1,079 of 20,000 launches", "Reset Layout", "{} % of the launches"]
    for text in bad:
        assert list(problems_of(text, rules)), text
    for text in good:
        assert not list(problems_of(text, rules)), text
    source = 'call("one " // a comment "no"\n     "two"); other(\'"\', "three");'
    assert [t for _, t in literals(source)] == ["one two", "three"], literals(source)
    source = """label->setText("One"); // setText("no")
        menu->addAction(QStringLiteral("Two"), this); new QLabel(idle ? "Three" : text);
        box->addItems({"Four", tr("no")}); label->setText(tr("no")); new QLabel("<b>" + tr("no"));"""
    assert [t for _, t in untranslated(source)] == ["One", "Two", "Three", "Four"], list(untranslated(source))
    source = """text += tr(", one"); list.join(tr(" or ")); box->setSuffix(tr(" ms")); f(Text::tr(": two")); tr("%1, %2"); // tr(" no")"""
    assert [t for _, t in fragments(source)] == [", one", ": two"], list(fragments(source))
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "a.h").write_text('int a; // one\n// two\nconst char* b = "// no"; /* three */\n')
    (folder / "a.py").write_text('"""four"""\n# five\nb = "#6"\n')
    found = [text for name in ("a.h", "a.py") for _, text in comments(folder / name)]
    shutil.rmtree(folder)
    assert found == ["one two three", "four five"], found
    assert words_of("the `cod` of {naem} --opt a/pth PyTorch is colour") == ["the", "colour"], words_of("…")
    assert misspelt(["recieve", "colour", "color", "nsys"]) in ({"recieve", "color"}, set())
    print("the rules find what they are for")
    return 0


if __name__ == "__main__":
    sys.exit(self_test() if "--self-test" in sys.argv else run())
