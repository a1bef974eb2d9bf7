#!/usr/bin/env python3
"""Compares the modules that app, core and views declare (`jitterscope_module` in the CMakeLists.txt of each folder) with the sources.

Reports sources without a module, includes of modules that USES does not name, names in USES that nothing includes, and modules of
more than MOST files. Reports cycles of modules and of files (header and source of one name are one file). Reports Qt or VTK in
core, MPI outside core/engine/ranks, paths on the help page for contributors that do not exist, and files *_test.cpp below tests that no
CMakeLists.txt there lists. The exit code is 1 if there are any.
`check.py --self-test` checks that each rule finds its violations; `check.py ROOT` reads another tree."""
import os
import pathlib
import re
import sys
import tempfile

MOST = 25  # names of files in a module
TOPS = ("app", "core", "views")
COMPOSERS = {"app"}  # holds main() alone
MODULE = re.compile(r"^jitterscope_module\((\S+)\s+\"([^\"\n]*)\"([^)]*)\)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.M)


def circles(edges):
    """Sets of nodes that reach each other (Tarjan), those of one node left out."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for following in sorted(edges.get(node, ())):
            if following not in index:
                visit(following)
                low[node] = min(low[node], low[following])
            elif following in stack:
                low[node] = min(low[node], index[following])
        if low[node] == index[node]:
            part = [stack.pop()]
            while part[-1] != node:
                part.append(stack.pop())
            if len(part) > 1:
                found.append(sorted(part))

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def read(root):
    """Modules by folder: (purpose, folders in USES); includes by source file."""
    modules, includes = {}, {}
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.name == "CMakeLists.txt":
                for folder, purpose, rest in MODULE.findall(path.read_text()):
                    uses = re.search(r"\bUSES\s+((?:[a-z_0-9]+/[a-z_0-9/]+\s*)+)", rest)
                    modules[folder] = (purpose, set(uses.group(1).split()) if uses else set(), name)
            elif path.suffix in (".h", ".cpp"):
                includes[name] = INCLUDE.findall(path.read_text())
            elif path.name.endswith("_options.fbs"):
                includes[name[:-len("fbs")] + "h"] = []  # flatc generates the header
    return modules, includes


def listed_tests(root):
    """Paths in the CMakeLists.txt below tests, and the names that their loops make ("views_${name}_test")."""
    paths, names = set(), set()
    for lists in (root / "tests").rglob("CMakeLists.txt"):
        text = re.sub(r"#.*", "", lists.read_text())
        words = re.split(r'[\s()";]+', text)
        paths |= {os.path.normpath(lists.parent / word) for word in words if word.endswith("_test.cpp")}
        variables = {name: items.split() for name, items in re.findall(r"set\((\w+)\s+([^)]*)\)", text)}
        for loop, items in re.findall(r"foreach\((\w+)\s+([^)]*)\)", text):
            values = [value for item in items.split() for value in variables.get(item.strip("${}"), [item])]
            made = [os.path.basename(word) for word in words if "${%s}" % loop in word]
            names |= {os.path.splitext(word.replace("${%s}" % loop, value))[0] for word in made for value in values}
    return paths, names


def unlisted_tests(root):
    paths, names = listed_tests(root)
    tests = sorted((root / "tests").rglob("*_test.cpp"))
    return [f"{test.relative_to(root)}: no CMakeLists.txt lists this test" for test in tests
            if os.path.normpath(test) not in paths and test.stem not in names]


def problems(root):
    modules, includes = read(root)
    found = unlisted_tests(root)
    for folder, (purpose, _, place) in modules.items():
        if os.path.dirname(place) != folder:
            found.append(f"{place}: declares the module {folder}, which is another folder")
        if not purpose or "\n" in purpose:
            found.append(f"{place}: state the purpose of the module in one line")
    used, of_modules, of_files, things = {}, {folder: set() for folder in modules}, {}, {}
    for name, lines in includes.items():
        folder, thing = os.path.dirname(name), os.path.splitext(name)[0]
        if folder in COMPOSERS:
            continue
        if folder not in modules:
            found.append(f"{name}: its folder declares no module (jitterscope_module in its CMakeLists.txt)")
            continue
        things.setdefault(folder, set()).add(thing)
        of_files.setdefault(thing, set())
        for own, system in lines:
            if own in includes:
                target, other = os.path.dirname(own), os.path.splitext(own)[0]
                if other != thing:
                    of_files[thing].add(other)
                if target != folder:
                    of_modules[folder].add(target)
                    used.setdefault((folder, target), f"{name} includes {own}")
            if folder.startswith("core/") and re.match(r"Q[A-Z]|vtk", system):
                found.append(f"{name}: <{system}> in core, which builds without Qt and VTK")
            if system == "mpi.h" and folder != "core/engine/ranks":
                found.append(f"{name}: <mpi.h> outside core/engine/ranks")
    for (folder, target), example in sorted(used.items()):
        if target not in modules[folder][1]:
            found.append(f"{folder}: USES does not name {target} ({example})")
    for folder, (_, uses, place) in sorted(modules.items()):
        for target in sorted(uses - of_modules[folder]):
            found.append(f"{place}: USES names {target}, which nothing in the module includes")
        if len(things.get(folder, ())) > MOST:
            found.append(f"{folder}: {len(things[folder])} names of files in one module, at most {MOST}: divide the module")
    page = root / "resources/help/contributing.md"
    for name in re.findall(r"`([a-z_]+/[a-z_0-9./]+)`", page.read_text() if page.exists() else ""):
        if not (root / name).exists():
            found.append(f"{page.relative_to(root)}: there is no {name}")
    found += ["modules in a cycle: " + ", ".join(part) for part in circles(of_modules)]
    found += ["files in a cycle: " + ", ".join(part) for part in circles(of_files)]
    return found


def self_test():
    """Every rule on a small tree that breaks it, and none on one that keeps all."""
    good = {
        "core/a/CMakeLists.txt": 'jitterscope_module(core/a\n  "Lower"\n  PRIVATE x::x)\n',
        "core/a/one.h": "#pragma once\n",
        "core/b/CMakeLists.txt": 'jitterscope_module(core/b\n  "Upper"\n  USES core/a\n  PRIVATE fmt::fmt)\n',
        "core/b/two.h": "#pragma once\n",
        "core/b/two.cpp": '#include "core/b/two.h"\n#include "core/a/one.h"\n',
    }
    cases = [
        ({}, None),
        ({"core/c/lost.cpp": ""}, "declares no module"),
        ({"core/a/one.h": '#include "core/b/two.h"\n'}, "USES does not name core/b"),
        ({"core/a/one.h": '#include "core/b/two.h"\n'}, "modules in a cycle: core/a, core/b"),
        ({"core/b/two.cpp": ""}, "which nothing in the module includes"),
        ({"core/a/more.h": '#include "core/a/one.h"\n', "core/a/one.cpp": '#include "core/a/more.h"\n'}, "files in a cycle"),
        ({"core/a/one.cpp": "#include <QString>\n"}, "without Qt"),
        ({"core/a/one.cpp": "#include <mpi.h>\n"}, "mpi.h"),
        ({f"core/a/n{i}.h": "" for i in range(MOST)}, "in one module"),
        ({"resources/help/contributing.md": "Add it to `core/a/gone.cpp`, as `core/NAME` says.\n"}, "there is no core/a/gone.cpp"),
        ({"core/a/CMakeLists.txt": 'jitterscope_module(core/a\n  "")\n'}, "in one line"),
        ({"tests/a/one_test.cpp": "", "tests/CMakeLists.txt": "a_test(all SOURCES a/two_test.cpp)\n"}, "tests/a/one_test.cpp: no CMakeLists"),
        ({"tests/a/one_test.cpp": "", "tests/b/CMakeLists.txt": "a_test(all SOURCES ../a/one_test.cpp)\n"}, None),
        ({"tests/a/one_test.cpp": "", "tests/a/CMakeLists.txt": "a_test(all SOURCES one_test.cpp)\n"}, None),
        ({"tests/a/one_test.cpp": "", "tests/CMakeLists.txt": "a_test(all SOURCES a/one_test.cpp)\n# a/two_test.cpp\n"}, None),
        ({"tests/a/view_one_test.cpp": "", "tests/CMakeLists.txt": "foreach(name one)\n  set(test view_${name}_test)\nendforeach()\n"}, None),
        ({"tests/a/view_two_test.cpp": "", "tests/CMakeLists.txt": "foreach(name one)\n  set(test view_${name}_test)\nendforeach()\n"}, "view_two"),
        ({"tests/b_test.cpp": "", "tests/CMakeLists.txt": "set(all b_test)\nforeach(t ${all})\n  a_test(SOURCES b/${t}.cpp)\nendforeach()\n"}, None),
        ({"core/a/CMakeLists.txt": 'jitterscope_module(core/z\n  "Other")\n'}, "which is another folder"),
    ]
    for changes, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**good, **changes}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            found = problems(root)
            if expected is None and found or expected and not any(expected in each for each in found):
                print(f"expected {expected}, found {found}")
                return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    result = problems(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
    print("\n".join(result))
    sys.exit(1 if result else 0)
