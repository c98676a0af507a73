"""Shows that every checker of tools/ can fail, on small trees that break one rule each. Needs only Python itself."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Tree(unittest.TestCase):
    """A throw-away source tree."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, path: str, text: str):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self, tool: str, *args: str) -> tuple[int, str]:
        command = [sys.executable, "-B", str(ROOT / "tools" / tool), *args]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class LayersTest(Tree):
    def setUp(self):
        super().setUp()
        shutil.copy(ROOT / "layers.txt", self.root)

    def check_layers(self, *args: str) -> tuple[int, str]:
        return self.check("check_layers.py", "--root", str(self.root), *args)

    def assert_rejected(self, path: str, text: str, message: str):
        self.write(path, text)
        status, output = self.check_layers()
        self.assertEqual(status, 1, output)
        self.assertIn(message, output)
        self.assertEqual(output.count("\n"), 2, "one problem and the count:\n" + output)

    def assert_accepted(self, path: str, text: str):
        self.write(path, text)
        status, output = self.check_layers()
        self.assertEqual(status, 0, output)

    def test_downward_include_is_accepted(self):
        """The right direction is not rejected, and the graph shows it."""
        self.write("src/model/a.h", '#include "math/b.h"\n#include <carom/error.h>\n#include <vector>\n')
        status, output = self.check_layers("--graph")
        self.assertEqual(status, 0, output)
        self.assertIn("model      -> base (1), math (1)", output)

    def test_upward_include(self):
        """A module cannot include one that lies above it."""
        self.assert_rejected("src/math/a.h", '\n#include "model/b.h"\n', "src/math/a.h:2: math may not include model")

    def test_upward_include_through_a_public_header(self):
        """A public header counts as part of its module."""
        self.assert_rejected("src/math/a.h", "#include <carom/model.h>\n", "math may not include model")

    def test_siblings(self):
        """collide and dynamics never see each other."""
        self.assert_rejected("src/collide/a.h", '#include "dynamics/b.h"\n', "collide may not include dynamics")

    def test_solver_to_solver(self):
        """Solvers do not include each other; what lies directly in solvers/ they share."""
        self.assert_accepted("src/solvers/xpbd/a.h", '#include "solvers/solver.h"\n#include "solvers/xpbd/b.h"\n')
        self.assert_rejected("src/solvers/xpbd/c.h", '#include "solvers/mujoco/b.h"\n', "these folders stay apart")

    def test_public_header_without_module(self):
        """Every public header stands in the table."""
        self.assert_rejected("include/carom/surprise.h", "#pragma once\n", "belongs to 0 modules")

    def test_public_header_with_private_include(self):
        """The public door shows nothing private."""
        self.assert_rejected("include/carom/model.h", '#include "model/finalize.h"\n', "includes the private")

    def test_unknown_module(self):
        """A new folder of src has to be declared."""
        self.assert_rejected("src/extras/a.cpp", "", "is in no module")

    def test_relative_include(self):
        """An include that hides its module is not a way around the rule."""
        self.write("src/model/b.h", "")
        self.assert_rejected("src/model/a.h", '#include "b.h"\n', "write the include from src: model/b.h")

    def test_relative_include_into_another_module(self):
        """Neither is one that climbs out of its folder."""
        self.write("src/model/b.h", "")
        self.assert_rejected("src/math/a.h", '#include "../model/b.h"\n', "write the include from src")

    def test_library_to_front_end(self):
        """The library does not know who uses it."""
        self.write("scenes/stack.h", "")
        self.assert_rejected("src/model/a.h", '#include "scenes/stack.h"\n', "includes what is not part of it")

    def test_include_from_the_root(self):
        """A longer path to a private header is no way around the rule."""
        self.write("src/model/finalize.h", "")
        self.assert_rejected("cli/run.cpp", '#include "src/model/finalize.h"\n', "cli may include only <carom/...>")

    def test_front_end(self):
        """A front end sees the public headers alone."""
        self.write("src/model/finalize.h", "")
        self.assert_accepted("cli/own.h", "#include <carom/model.h>\n")
        self.assert_accepted("cli/main.cpp", '#include "own.h"\n')
        self.assert_rejected("cli/run.cpp", '#include "model/finalize.h"\n', "cli may include only <carom/...>")

    def test_front_end_to_module(self):
        """Nor does it look into a module, unless layers.txt says so."""
        self.write("src/collide/tree.h", "")
        self.write("src/model/finalize.h", "")
        self.assert_accepted("bench/a.cpp", '#include "collide/tree.h"\n')
        self.assert_rejected("bench/b.cpp", '#include "model/finalize.h"\n', "bench may include only <carom/...>")

    def test_front_end_to_front_end(self):
        """Front ends do not include each other, unless layers.txt says so."""
        self.assert_accepted("bench/a.cpp", '#include "scenes/stack.h"\n')
        self.assert_rejected("bench/b.cpp", '#include "cli/run.h"\n', "bench may not include cli")

    def test_tests_may_look_inside(self):
        """Tests see private headers, those of the public interface do not."""
        self.write("src/model/finalize.h", "")
        self.assert_accepted("tests/model/a_test.cpp", '#include "model/finalize.h"\n')
        self.assert_rejected("tests/api/a_test.cpp", '#include "model/finalize.h"\n', "tests/api may include only")

    def test_cuda_call(self):
        """The CUDA runtime is called in backend/cuda and in the stubs."""
        call = "void f() { cudaFree(nullptr); }\n"
        self.assert_accepted("src/backend/cuda/memory.cu", call)
        self.assert_accepted("src/dynamics/kernels.cu", call)
        self.assert_accepted("src/dynamics/comment.cpp", "// cudaFree is not called here\n")
        self.assert_rejected("src/dynamics/a.cpp", call, "CUDA outside src/backend/cuda: cudaFree")

    def test_cuda_launch(self):
        """Neither do kernels get launched elsewhere."""
        self.assert_rejected("src/sim/a.cu", "void f() { k<<<1, 32>>>(); }\n", "CUDA outside src/backend/cuda: <<<")

    def test_cuda_header(self):
        """Nor are its headers included."""
        self.assert_rejected("src/sim/a.h", "#include <cuda_runtime.h>\n", "CUDA outside src/backend/cuda")

    def test_kernel_with_libm(self):
        """A kernel calls our own functions, whose bits are known."""
        self.assert_accepted("src/dynamics/good.kernel.h", "Real f(Real x) { return fma(x, sin(x), sqrt(x)); }\n")
        self.assert_rejected("src/dynamics/a.kernel.h", "float f(float x) { return fmaf(x, x, x); }\n", "a libm call")

    def test_kernel_with_std_sin(self):
        """Also under its other name."""
        self.assert_rejected("src/dynamics/a.kernel.h", "float f(float x) { return std::sin(x); }\n", "a libm call")

    def test_kernel_with_container(self):
        """A kernel holds views."""
        self.assert_rejected("src/dynamics/a.kernel.h", "std::vector<int> a;\n", "a standard container")

    def test_kernel_with_new(self):
        """A kernel does not allocate."""
        self.assert_rejected("src/dynamics/a.kernel.h", "int* f() { return new int; }\n", ": new")

    def test_kernel_with_throw(self):
        """A kernel does not throw."""
        self.assert_rejected("src/dynamics/a.kernel.h", "void f() { throw 1; }\n", "an exception")

    def test_kernel_with_atomic(self):
        """A kernel's result does not depend on the order of its threads."""
        self.assert_rejected("src/dynamics/a.kernel.h", "void f(int* a) { atomicAdd(a, 1); }\n", "an atomic")

    def test_kernel_with_header(self):
        """A kernel includes only what also compiles for a GPU."""
        self.assert_rejected("src/dynamics/a.kernel.h", "#include <cmath>\n", "may not include <cmath>")

    def test_standard_random_numbers(self):
        """Random tests try the same cases on every machine."""
        self.assert_accepted("tests/math/good_test.cpp", '#include "tests/random.h"\n')
        self.assert_rejected("tests/math/a_test.cpp", "#include <random>\n", "<random> draws other numbers")

    def test_vague_name(self):
        """A file is named after what it holds."""
        self.assert_rejected("src/math/math_utils.h", "", "a name that says nothing")

    def test_cycle_cannot_be_declared(self):
        """A name can be used only after its own line, and has one line only."""
        for text, message in [
            ("module a : b\nmodule b : a\n", "a may not use b, which is not declared above it"),
            ("module a :\nmodule b : a\nmodule a : b\n", "a is declared twice"),
        ]:
            self.write("layers.txt", text)
            status, output = self.check_layers()
            self.assertEqual(status, 1)
            self.assertIn(message, output)


class SizeTest(Tree):
    def check_size(self) -> tuple[int, str]:
        return self.check("check_size.py", "--root", str(self.root))

    def test_long_file(self):
        """A file of 1,000 lines is reported, one of 1,201 lines fails."""
        self.write("src/a.h", "\n" * 1000)
        status, output = self.check_size()
        self.assertEqual(status, 0, output)
        self.assertIn("1000  src/a.h  long", output)
        self.write("src/a.h", "\n" * 1201)
        self.assertEqual(self.check_size()[0], 1)

    def test_long_function(self):
        """Body lines count, also behind member initialisers; a long class or namespace is not a function."""
        body = "  f();\n" * 147
        text = "namespace n {\nclass A {\n  A() : a_{1}, b_(2) {\n%s  }\n  void g() {}\n};\n}\n"
        self.write("src/a.cpp", text % body)
        status, output = self.check_size()
        self.assertEqual(status, 0, output)
        self.assertIn("149  src/a.cpp:3 A  long", output)
        self.write("src/a.cpp", text % (body + "  f();\n" * 2))
        self.assertEqual(self.check_size()[0], 1)

    def test_long_python_function(self):
        """The same limit holds for Python."""
        self.write("tools/a.py", "def f():\n" + "    pass\n" * 151)
        self.assertEqual(self.check_size()[0], 1)


class TiersTest(Tree):
    SHARED = "inline __attribute__((noinline)) int shared(int a) { return a * a; }\n"

    def compile(self, path: str, text: str):
        self.write(path + ".cpp", text)
        command = ["c++", "-O2", "-c", str(self.root / (path + ".cpp")), "-o", str(self.root / path)]
        subprocess.run(command, check=True)

    def check_tiers(self) -> tuple[int, str]:
        return self.check("check_tiers.py", str(self.root), "baseline,avx2")

    def test_own_symbols_are_accepted(self):
        """Two tiers with functions of their own; modules of one tier may share."""
        self.compile("CMakeFiles/carom_a_baseline.dir/k.o", "int f_baseline() { return 1; }\n")
        self.compile("CMakeFiles/carom_a_avx2.dir/k.o", self.SHARED + "int f_avx2(int a) { return shared(a); }\n")
        self.compile("CMakeFiles/carom_b_avx2.dir/k.o", self.SHARED + "int g_avx2(int a) { return shared(a); }\n")
        status, output = self.check_tiers()
        self.assertEqual(status, 0, output)

    def test_shared_inline_function(self):
        """An inline function that the library and a tier both keep out of line is found by its name."""
        self.compile("CMakeFiles/carom.dir/model.o", self.SHARED + "int f(int a) { return shared(a); }\n")
        self.compile("CMakeFiles/carom_a_avx2.dir/k.o", self.SHARED + "int f_avx2(int a) { return shared(a); }\n")
        status, output = self.check_tiers()
        self.assertEqual(status, 1, output)
        self.assertIn("shared(int)", output)

    def test_nothing_to_check(self):
        """A build without objects is not a pass."""
        self.assertEqual(self.check_tiers()[0], 1)


class SkipsTest(Tree):
    """Reports as ctest and pytest write them, with one test each."""

    CTEST = """<testsuite><testcase name="a.B" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>[ RUN      ] a.B
tests/a_test.cpp:7: Skipped
%s

[  SKIPPED ] a.B (0 ms)</system-out></testcase></testsuite>
"""
    PYTEST = '<testsuites><testsuite><testcase name="c"><skipped message="%s"/></testcase></testsuite></testsuites>'

    def report(self, ci: str) -> tuple[int, str]:
        (self.root / "notes").mkdir(exist_ok=True)
        with unittest.mock.patch.dict(os.environ, {"CI": ci}):
            return self.check("report_skips.py", str(self.root / "notes"), str(self.root / "reports"))

    def test_every_skip_is_named_with_its_reason(self):
        """Skips of ctest, of pytest, and of a program that is not there."""
        self.write("reports/cpp.xml", self.CTEST % "the model is not here")
        self.write("reports/cuda.xml", self.CTEST.replace("Skipped\n%s", "\n**** NOT RUN: no clang ****"))
        self.write("reports/python.xml", self.PYTEST % "mujoco is missing")
        status, output = self.report(ci="false")
        self.assertEqual(status, 0, output)
        for words in ("the model is not here (1)", "cpp: a.B", "no clang (1)", "cuda: a.B", "mujoco is missing (1)",
                      "python: c", "skips: 3"):
            self.assertIn(words, output)

    def test_ci_wants_every_test_that_needs_no_gpu(self):
        """With CI=true a skip is a failure, and a missing GPU is none."""
        self.write("reports/cpp.xml", self.CTEST % "NOT RUN ON CUDA: this build or machine has no CUDA device")
        self.assertEqual(self.report(ci="true")[0], 0)
        self.write("reports/python.xml", self.PYTEST % "mujoco is missing")
        self.assertEqual(self.report(ci="true")[0], 1)

    def test_ci_wants_every_part(self):
        """A part that set-up left out is a skip too."""
        self.write("notes/python", "Python side: its packages could not be installed")
        status, output = self.report(ci="true")
        self.assertEqual(status, 1, output)
        self.assertIn("Python side", output)

    def test_no_skips(self):
        self.write("reports/cpp.xml", '<testsuite><testcase name="a.B" status="run"/></testsuite>')
        self.assertEqual(self.report(ci="true"), (0, "skips: none\n"))


if __name__ == "__main__":
    unittest.main()
