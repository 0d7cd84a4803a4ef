package io.ntrail.analysis.probe;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Macros;
import io.ntrail.analysis.probe.syntax.Parser;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assertions;

/** Any text is a program or is refused in words, and any program ends. */
class ProbeFuzzTest {
  /** Pieces that programs are made of, so that some of them make sense. */
  private static final List<String> PIECES =
      List.of(
          "BEGIN { ",
          "read { ",
          "tick-1ms ",
          "END { ",
          "ERROR { ",
          "/ ",
          "} ",
          "{ ",
          "; ",
          ", ",
          "( ",
          ") ",
          "[ ",
          "] ",
          "= ",
          "+ ",
          "- ",
          "* ",
          "/ ",
          "% ",
          "& ",
          "| ",
          "^ ",
          "<< ",
          ">> ",
          "++ ",
          "-- ",
          "+= ",
          "&& ",
          "|| ",
          "^^ ",
          "! ",
          "~ ",
          "? ",
          ": ",
          "== ",
          "< ",
          "-> ",
          ". ",
          "0 ",
          "1 ",
          "7 ",
          "-1 ",
          "9223372036854775807 ",
          "'a' ",
          "\"a\" ",
          "\"\" ",
          "x ",
          "y ",
          "self->x ",
          "this->y ",
          "s ",
          "v ",
          "args[0]->Size ",
          "args[0]->FileName ",
          "arg0 ",
          "pid ",
          "execname ",
          "@ ",
          "@a ",
          "@[x] ",
          "count() ",
          "sum(",
          "avg(",
          "min(",
          "stddev(",
          "quantize(",
          "lquantize(x, 0, 10, 2) ",
          "llquantize(x, 10, 0, 3, 10) ",
          "printf(\"%d\\n\", ",
          "printf(\"%*s|%x\", ",
          "printa(@) ",
          "printa(\"%@d\", @a) ",
          "trace(",
          "tracemem(",
          "print(",
          "trunc(@, 1) ",
          "clear(@) ",
          "normalize(@, x) ",
          "speculate(x) ",
          "commit(x) ",
          "discard(x) ",
          "speculation() ",
          "strlen(",
          "strjoin(",
          "substr(",
          "index(",
          "strtok(",
          "lltostr(",
          "strtoll(",
          "json(",
          "basename(",
          "cleanpath(",
          "alloca(",
          "bcopy(",
          "copyinstr(",
          "inet_ntop(",
          "stringof ",
          "sizeof ",
          "offsetof(struct t, b) ",
          "(int)",
          "(char)",
          "(uint64_t)",
          "(char *)",
          "(struct t *)",
          "(string)",
          "int x; ",
          "string s; ",
          "struct t { int a; char b[4]; int c : 3; } ",
          "struct t v; ",
          "typedef int mine; ",
          "inline int one = ",
          "enum e { A, B = 4 } ",
          "if (",
          "else ",
          "ustack() ",
          "exit(",
          "setopt(\"aggsortrev\") ",
          "#pragma D option quiet\n",
          "#pragma D option flowindent\n",
          "#pragma D option strsize=4\n",
          "v.a ",
          "v.b ",
          "v.c ");

  private static void run(String program) {
    try {
      ProbeScript.with(null, "script", "5", "word")
          .run(
              program,
              ProbeScript.Event.read(1, 1, 100, "C:\\a.txt"),
              ProbeScript.Event.entry(3),
              ProbeScript.Event.leave(4));
    } catch (CompileError e) {
      Assertions.assertFalse(e.reason().isEmpty());
      Assertions.assertTrue(e.tag().startsWith("D_"));
      Assertions.assertTrue(e.place().line() >= 1 && e.place().column() >= 1);
    }
  }

  @FuzzTest(maxDuration = "60s")
  void anyTextIsReadOrRefused(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    try {
      Parser.parse(text, new Macros(List.of("script", "5"), Map.of("target", "1")));
    } catch (CompileError e) {
      Assertions.assertFalse(e.reason().isEmpty());
    }
  }

  @FuzzTest(maxDuration = "60s")
  void anyTextIsRunOrRefused(byte[] data) {
    run(new String(data, StandardCharsets.UTF_8));
  }

  @FuzzTest(maxDuration = "60s")
  void whatLooksLikeAProgramIsRunOrRefused(byte[] data) {
    StringBuilder program = new StringBuilder();
    for (byte piece : data) {
      program.append(PIECES.get((piece & 0xFF) % PIECES.size()));
    }
    run(program.toString());
  }

  @FuzzTest(maxDuration = "60s")
  void whatLooksLikeActionsIsRunOrRefused(byte[] data) {
    StringBuilder program = new StringBuilder();
    for (byte piece : data) {
      program.append(PIECES.get((piece & 0xFF) % PIECES.size()));
    }
    run(
        """
        struct t { int a; char b[4]; int c : 3; };
        struct t v; string s; int x; int y; self int x; this int y;
        BEGIN { @ = count(); @a = sum(1); x = 7; s = "text"; v.a = 1; }
        read { %s; exit(0); }
        """
            .formatted(program));
  }

  @FuzzTest(maxDuration = "60s")
  void anyFormatIsPrintedOrRefused(byte[] data) {
    String format = new String(data, StandardCharsets.ISO_8859_1).replaceAll("[\"\\\\\n]", "%");
    run("BEGIN { printf(\"" + format + "\", 5, -7LL, \"text\"); exit(0); }");
    run("BEGIN { @[5, \"text\"] = sum(7); printa(\"" + format + "\", @); exit(0); }");
  }
}
