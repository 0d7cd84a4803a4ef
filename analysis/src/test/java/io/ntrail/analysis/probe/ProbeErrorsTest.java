package io.ntrail.analysis.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.probe.syntax.CompileError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs with a mistake, the place that is told, and DTrace's tag. */
class ProbeErrorsTest {
  private static CompileError error(String program) {
    return assertThrows(CompileError.class, () -> ProbeScript.with(null, "script").run(program));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "trace(1 +)~ 1:18 D_SYNTAX",
        "trace(1~ 1:16 D_SYNTAX",
        "trace(unknown)~ 1:15 D_IDENT_UNDEF",
        "trace(self->unknown)~ 1:21 D_IDENT_UNDEF",
        "frobnicate(1)~ 1:9 D_PROC_UNDEF",
        "strlen()~ 1:9 D_PROTO_LEN",
        "strlen(5)~ 1:16 D_PROTO_ARG",
        "trace(1, 2)~ 1:9 D_PROTO_LEN",
        "5 = 6~ 1:9 D_OP_LVAL",
        "pid = 6~ 1:9 D_OP_WRITE",
        "x = 1 + \"a\"~ 1:15 D_OP_INCOMPAT",
        "x = \"a\"; x = 5~ 1:20 D_OP_INCOMPAT",
        "x[1] = 1; x[1, 2] = 1~ 1:19 D_PROTO_LEN",
        "x[1] = 1; x[\"a\"] = 1~ 1:19 D_PROTO_ARG",
        "x[1] = 1; trace(x)~ 1:25 D_OP_ARRFUN",
        "trace(1 / 0)~ 1:17 D_DIV_ZERO",
        "trace(99999999999999999999)~ 1:15 D_INT_OFLOW",
        "trace('')~ 1:15 D_SYNTAX",
        "trace('abcdefghi')~ 1:15 D_CHR_OFLOW",
        "trace(\"abc)~ 1:15 D_SYNTAX",
        "trace(1.5)~ 1:15 D_SYNTAX",
        "while (1)~ 1:9 D_SYNTAX",
        "trace($9)~ 1:15 D_MACRO_UNDEF",
        "trace($)~ 1:15 D_MACRO_UNDEF",
        "trace(errno)~ 1:15 D_VAR_UNSUP",
        "trace(curthread)~ 1:15 D_VAR_UNSUP",
        "trace(args[3])~ 1:19 D_ARGS_IDX",
        "trace(sizeof(void))~ 1:15 D_SIZEOF_TYPE",
        "trace((nothing)1)~ 1:24 D_SYNTAX",
        "trace((struct none)1)~ 1:15 D_CAST_INVAL",
        "trace(*1)~ 1:15 D_OP_PTR",
        "x = 1; trace(x.y)~ 1:23 D_OP_SOU",
        "trace(@a)~ 1:15 D_AGG_CONTEXT",
        "@a~ 1:9 D_AGG_NULL",
        "@a = 5~ 1:14 D_AGG_FUNC",
        "@a = strlen(\"a\")~ 1:14 D_AGG_FUNC",
        "@a = sum(\"a\")~ 1:18 D_AGG_SCALAR",
        "@a = count(1)~ 1:14 D_PROTO_LEN",
        "@a = count(); @a = sum(1)~ 1:23 D_AGG_REDEF",
        "@a[1] = count(); @a[\"x\"] = count()~ 1:26 D_AGG_KEY",
        "@a[1] = count(); @a[1, 2] = count()~ 1:26 D_AGG_KEY",
        "if (1) { speculate(1); } exit(0)~ 1:34 D_EXIT_SPEC",
        "@a[1] = count(); @a[ustack()] = count()~ 1:26 D_AGG_KEY",
        "@a[ustack()] = count(); @a[usym(1)] = count()~ 1:33 D_AGG_KEY",
        "@a = lquantize(1, 0, 9); @a = lquantize(1, 1, 9)~ 1:34 D_LQUANT_MATCHBASE",
        "@a = lquantize(1, 0, 9); @a = lquantize(1, 0, 8)~ 1:34 D_LQUANT_MATCHLIM",
        "@a = lquantize(1, 0, 9); @a = lquantize(1, 0, 9, 3)~ 1:34 D_LQUANT_MATCHSTEP",
        "@a = lquantize(1, 5, 5)~ 1:14 D_LQUANT_STEPLARGE",
        "@a = lquantize(1, 0, 5, 10)~ 1:14 D_LQUANT_STEPLARGE",
        "@a = lquantize(1, 5, 4)~ 1:14 D_LQUANT_MISMATCH",
        "@a = lquantize(1, 5000000000, 5)~ 1:14 D_LQUANT_BASEVAL",
        "@a = lquantize(1, 5, 5000000000)~ 1:14 D_LQUANT_LIMVAL",
        "@a = lquantize(1, 0, 5, 0)~ 1:14 D_LQUANT_STEPTYPE",
        "@a = lquantize(1, 0, 100000, 70000)~ 1:14 D_LQUANT_STEPVAL",
        "@a = lquantize(1, 0, 65536)~ 1:14 D_LQUANT_STEPSMALL",
        "@a = lquantize(1, pid, 5)~ 1:27 D_OP_INT",
        "@a = llquantize(1, 1, 0, 5, 10)~ 1:14 D_LLQUANT_FACTORVAL",
        "@a = llquantize(1, 10, 0, 99, 10)~ 1:14 D_LLQUANT_FACTORVAL",
        "@a = llquantize(1, 10, 0, 5, 10); @a = llquantize(1, 10, 1, 5, 10)~ 1:43"
            + " D_LLQUANT_MATCHLOW",
        "printa(@a)~ 1:16 D_PRINTA_AGGBAD",
        "printa(\"%d\", 5)~ 1:22 D_PRINTA_AGGARG",
        "clear(5)~ 1:15 D_CLEAR_AGGARG",
        "trunc(@a)~ 1:15 D_TRUNC_AGGBAD",
        "normalize(@a, 2)~ 1:19 D_NORM_AGGBAD",
        "@a[1] = count(); @b = count(); printa(@a, @b)~ 1:51 D_PRINTA_AGGPROTO",
        "@a[1] = count(); @b[\"x\"] = count(); printa(@a, @b)~ 1:56 D_PRINTA_AGGKEY",
        "@a = count(); printa(\"%d\", @a)~ 1:23 D_PRINTF_ARG_PROTO",
        "@a[\"x\"] = count(); printa(\"%d\", @a)~ 1:28 D_PRINTF_ARG_TYPE",
        "printf(\"%d\")~ 1:9 D_PRINTF_ARG_PROTO",
        "printf(\"%d\", 1, 2)~ 1:9 D_PRINTF_ARG_PROTO",
        "printf(\"%d\", \"a\")~ 1:9 D_PRINTF_ARG_TYPE",
        "printf(\"%s\", 1)~ 1:9 D_PRINTF_ARG_TYPE",
        "printf(\"%y\", 1)~ 1:9 D_PRINTF_FMT_BAD",
        "printf(\"%@d\")~ 1:9 D_PRINTF_AGG_CONV",
        "printf(pid)~ 1:16 D_PRINTF_ARG_FMT",
        "speculate(1); speculate(1)~ 1:23 D_SPEC_SPEC",
        "trace(1); speculate(1)~ 1:19 D_SPEC_DREC",
        "commit(1); speculate(1)~ 1:20 D_SPEC_COMM",
        "trace(1); commit(1)~ 1:19 D_COMM_DREC",
        "commit(1); commit(1)~ 1:20 D_COMM_COMM",
        "commit(1); trace(1)~ 1:20 D_DREC_COMM",
        "speculate(1); exit(0)~ 1:23 D_EXIT_SPEC",
        "speculate(1); @a = count()~ 1:23 D_AGG_SPEC",
        "commit(1); @a = count()~ 1:20 D_AGG_COMM",
        "system(\"dir\")~ 1:9 D_ACT_DESTRUCT",
        "panic()~ 1:9 D_ACT_DESTRUCT",
        "setopt(\"quiett\")~ 1:9 D_SETOPT",
        "x = xlate < struct s > (1)~ 1:13 D_PRAGMA_UNSUP"
      })
  void aMistakeIsToldWithItsPlaceAndTag(String row) {
    String[] parts = row.split("~ ", 2);
    CompileError error = error("BEGIN { " + parts[0] + "; }");
    assertEquals(
        parts[1],
        "%d:%d %s".formatted(error.place().line(), error.place().column(), error.tag()),
        error.reason());
  }

  @Test
  void theLineIsThatOfTheProgram() {
    CompileError error = error("/* first\n   line */\nBEGIN\n{\n\ttrace(nothing);\n}\n");
    assertEquals(5, error.place().line());
    assertEquals(8, error.place().column());
    assertEquals(7, error.place().length());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "total = 1; trace(totel); total",
        "trace(timestmp); timestamp",
        "self->start = 1; trace(self->strat); self->start",
        "prntf(\"a\"); printf()",
        "@counts = count(); printa(@count); @counts",
        "setopt(\"quiett\"); quiet"
      })
  void theNearestNameIsOffered(String row) {
    int at = row.lastIndexOf("; ");
    String reason = error("BEGIN { " + row.substring(0, at) + "; }").reason();
    assertTrue(reason.endsWith("did you mean " + row.substring(at + 2) + "?"), reason);
  }

  @Test
  void theFieldsOfAnEventAreListed() {
    assertEquals(
        "Read has no field Offset; its fields: Size, FileName",
        error("read { trace(args[0]->Offset); }").reason());
  }

  @Test
  void anArgumentWithFieldsIsNotAValue() {
    assertEquals(
        "one of its fields is needed here: Size, FileName",
        error("read { trace(args[0]); }").reason());
  }

  @Test
  void aFieldThatIsNotOfOneTypeInAllEventsIsRefused() {
    assertEquals(
        "Size is a string in some of these events, and a number in others: name one event",
        error("read, other { trace(args[0]->Size); }").reason());
  }

  @Test
  void theMembersOfAStructAreListed() {
    assertEquals(
        "struct s has no member c; its members: a, b",
        error("struct s { int a; int b; };\nstruct s v;\nBEGIN { trace(v.c); }").reason());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nothing { trace(1); }; D_PDESC_ZERO",
        "a:b:c:d:e { trace(1); }; D_PDESC_INVAL",
        "BEGIN { trace(1); ; D_SYNTAX",
        "BEGIN /1 { trace(1); }; D_SYNTAX",
        "BEGIN /@a/ { trace(1); }; D_AGG_CONTEXT",
        "BEGIN trace(1); D_SYNTAX",
        "{ trace(1); }; D_SYNTAX",
        "int x; int x;; D_DECL_IDRED",
        "int pid;; D_DECL_IDRED",
        "nothing x;; D_SYNTAX",
        "struct s { int a; }; struct s { int b; };; D_DECL_IDRED",
        "struct s { struct s inner; };; D_DECL_INCOMPLETE",
        "int a[-1];; D_ARR_BADSIZE",
        "inline int x = x;; D_IDENT_UNDEF",
        "translator int < struct s > { };; D_PRAGMA_UNSUP",
        "provider p { };; D_PRAGMA_UNSUP",
        "#pragma D option nonsense; D_PRAGMA_OPTSET",
        "#pragma D option strsize=word; D_PRAGMA_OPTSET",
        "#pragma D nonsense; D_PRAGMA_INVAL",
        "#pragma D error no; D_PRAGERR",
        "#define A 1; D_PRAGCTL_INVAL",
        "/* no end; D_SYNTAX"
      })
  void aMistakeOutsideOfAClauseIsTold(String row) {
    int at = row.lastIndexOf("; ");
    CompileError error = error(row.substring(0, at));
    assertEquals(row.substring(at + 2), error.tag(), error.reason());
  }
}
