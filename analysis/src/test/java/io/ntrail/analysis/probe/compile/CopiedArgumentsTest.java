package io.ntrail.analysis.probe.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Macros;
import io.ntrail.analysis.probe.syntax.Parser;
import io.ntrail.analysis.probe.syntax.ProbeDescription.Field;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory that has to be copied when functions are entered. */
class CopiedArgumentsTest {
  private static String copies(String text) {
    Macros macros = new Macros(List.of("test", "24"), Map.of("target", "7"));
    return CopiedArguments.of(Parser.parse(text, macros, Field.NAME, false), new Options()).stream()
        .map(one ->
            "arg%d%+d %d%s"
                .formatted(one.argument(), one.offset(), one.length(), one.isText() ? " text" : ""))
        .collect(Collectors.joining(", "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f:entry { trace(arg0); }|''",
        "f:entry { trace(copyinstr(arg0)); }|arg0+0 255 text",
        "f:entry { trace(copyinstr(arg9, 10)); }|arg9+0 10 text",
        "f:entry { trace(copyinstr(arg1, arg2)); }|arg1+0 255 text",
        "f:entry /copyinstr((uintptr_t)arg2) == \"x\"/ { n++; }|arg2+0 255 text",
        "f:entry { trace(*(int *)copyin(arg1 + 8, sizeof (int))); }|arg1+8 4",
        "f:entry { trace(*(int *)copyin(arg1 - 8, sizeof (long long) * 2)); }|arg1-8 16",
        "f:entry { tracemem(copyin(0x10 + arg1, $1), 8); }|arg1+16 24",
        "f:entry { copyinto(arg3, 12, alloca(12)); }|arg3+0 12",
        "f:entry { if (arg0) { trace(copyinstr(arg0)); } else { trace(copyinstr(arg1)); } }"
            + "|arg0+0 255 text, arg1+0 255 text",
        "f:entry { @[copyinstr(arg0)] = sum(*(int *)copyin(arg1, 4)); }|arg0+0 255 text, arg1+0 4",
        "f:entry { trace(copyinstr(arg0)); } g:entry { trace(copyinstr(arg0, 4)); }|arg0+0 255 text",
        "f:entry { trace(copyinstr(arg0, 4)); } g:entry { tracemem(copyin(arg0, 8), 8); }|arg0+0 8",
        "#pragma D option strsize=32\\nf:entry { trace(copyinstr(arg0)); }|arg0+0 31 text",
        "typedef struct s { int a; long long b; } s_t; f:entry { print(*(s_t *)copyin(arg0,"
            + " sizeof (s_t))); }|arg0+0 16",
        "inline string name = copyinstr(arg0); f:entry { trace(name); }|arg0+0 255 text",
      })
  void copiesAreOfArgumentsAndConstantsBesideThem(String text, String expected) {
    assertEquals(expected, copies(text.replace("\\n", "\n")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f:return { trace(copyinstr(arg0)); }|at probes of entry",
        "f:entry, f:return { trace(copyinstr(arg0)); }|at probes of entry",
        "BEGIN { trace(copyinstr(16)); }|at probes of entry",
        "f:entry { trace(copyinstr(self->a)); }|arg0 to arg9",
        "f:entry { trace(copyinstr(arg0 + arg1)); }|arg0 to arg9",
        "f:entry { trace(copyinstr(8 - arg0)); }|arg0 to arg9",
        "f:entry { trace(copyinstr(*(uintptr_t *)copyin(arg0, 8))); }|arg0 to arg9",
        "f:entry { trace(copyinstr((uintptr_t)((int *)arg0 + 1))); }|arg0 to arg9",
        "f:entry { tracemem(copyin(arg0, n), 4); }|a constant number",
        "f:entry { tracemem(copyin(arg0, -4), 4); }|a constant number",
      })
  void otherMemoryIsRefused(String text, String reason) {
    CompileError error = assertThrows(CompileError.class, () -> copies(text));
    assertEquals("D_PROTO_ARG", error.tag());
    assertTrue(error.reason().contains(reason), error.reason());
  }
}
