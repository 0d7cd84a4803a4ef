package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.PeSectionContent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code trace --plan} of files that are not started: nothing that runs programs is needed. */
class PlanOfFileTest {
  @TempDir private Path folder;

  /** A 32-bit library: a function of each class, and such as are told of. */
  private Path library() throws IOException {
    PeBuilder builder = PeBuilder.library(MachineType.I386);
    PeSectionContent code = builder.code();
    code.fill(64, 0xCC);
    // mov edi, edi; push ebp; mov ebp, esp; pop ebp; ret
    function(builder, "one", 16, 0x8B, 0xFF, 0x55, 0x8B, 0xEC, 0x5D, 0xC3);
    // push ebp; mov ebp, esp; pop ebp; ret
    function(builder, "several", 16, 0x55, 0x8B, 0xEC, 0x5D, 0xC3);
    // Behind the padding of the one before, of which it takes some; mov eax, [esp+4]; ret
    function(builder, "borrowing", 0, 0x8B, 0x44, 0x24, 4, 0xC3);
    // mov eax, [esp]; ret
    function(builder, "reading", 16, 0x8B, 0x04, 0x24, 0xC3);
    // ret
    function(builder, "nothing", 16, 0xC3);
    function(builder, "_SEH_prolog4", 16, 0x8B, 0xFF, 0x55, 0x8B, 0xEC, 0x5D, 0xC3);
    function(builder, "stdcall@4", 16, 0x8B, 0xFF, 0x8B, 0x44, 0x24, 4, 0xC2, 4, 0);
    code.fill(64, 0xCC);
    return Files.write(folder.resolve("small.dll"), builder.build().file());
  }

  private static void function(PeBuilder builder, String name, int padding, int... bytes) {
    builder.code().fill(padding, 0xCC).label(name).code(bytes);
    builder.exports(name, name);
  }

  @Test
  void functionsOfA32BitLibraryAreCountedByClass() throws IOException {
    Cli.Result result = Cli.run("trace", "--plan", "--why", "-f", "small!*", "--", library());
    assertEquals(0, result.exit(), result.err());
    List<String> lines = result.lines().stream().map(String::strip).toList();
    assertEquals(
        "small.dll: 5 of 7 matching functions can be traced, 4 of them with exits",
        lines.getFirst());
    assertTrue(lines.contains("3  x86-A: own padding, one instruction"), result.out());
    assertTrue(lines.contains("1  x86-B: own padding, several instructions"), result.out());
    assertTrue(lines.contains("1  x86-C: padding in front of another function"), result.out());
    assertTrue(lines.contains("2  x86-D: skipped"), result.out());
    assertTrue(lines.contains("small!reading       entries  reads its return address"));
    assertTrue(
        lines.contains(
            "small!_SEH_prolog4  no       helper that sets up or removes the frame of its caller"),
        result.out());
  }

  @Test
  void theReportIsTheOneOfPrograms() throws IOException {
    Path library = library();
    Cli.Result result =
        Cli.run("trace", "--plan", "--why", "--format", "json", "-f", "*!*", "--", library);
    assertEquals(0, result.exit(), result.err());
    JsonReader report = result.json();
    assertEquals(List.of(), JsonSchema.named("trace").findings(report));
    assertTrue(report.get("target").get("pid").isNull());
    assertEquals(3, report.get("functions").get("byClass").get("x86-A").number());
    assertEquals(1, report.get("functions").get("byReason").get("FRAME_HELPER").number());
  }

  @Test
  void aFunctionIsMeantByItsNameInTheSourceToo() throws IOException {
    Cli.Result result = Cli.run("trace", "--plan", "-f", "small!stdcall", "--", library());
    assertTrue(result.out().startsWith("small.dll: 1 of 1 matching"), result.out());
  }

  @Test
  void aLibraryWithoutMatchingFunctionsIsAnError() throws IOException {
    Cli.Result result = Cli.run("trace", "--plan", "-f", "small!other*", "--", library());
    assertEquals("", result.out());
    assertTrue(
        result.messages().getFirst().contains("no function of small.dll matches small!other*"),
        result.err());
  }
}
