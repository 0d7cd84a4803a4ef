package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of {@code calls --flat}: of functions of one name, each is told from the others. */
class CallFlatRowsTest {
  @TempDir private Path folder;

  /**
   * Writes a recording of processes, each with a module that has two functions of one name, at 0x10
   * and 0x20, and with a function outside of all modules. The first of them was called as often as
   * the process's number says.
   */
  private Path write(int processes) throws IOException {
    NtrHeader header =
        new NtrHeader(0, 1_000_000, 0, 0, 0x8664, 8, NtrHeader.TIME_STAMP_COUNTER, "test");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header, 1)) {
      for (int i = 1; i <= processes; i++) {
        writer.process(TracedProcess.running(i, 4000 + i, 0, "C:\\shop\\shopd.exe", ""));
        writer.thread(TracedThread.running(i, i, 5000 + i, 0, ""));
        writer.module(
            new TracedModule(
                i, i, 0x10000, new ImageId(0, 0x1000), 0, 0, "C:\\shop\\shop.dll", null, ""));
        writer.function(new TracedFunction(3L * i, i, 0x10, "lookup", List.of()));
        writer.function(new TracedFunction(3L * i + 1, i, 0x20, "lookup", List.of()));
        writer.function(new TracedFunction(3L * i + 2, 0, 0x7000, "", List.of()));
        ThreadEventWriter events = writer.events(i);
        for (int function = 0; function < 3; function++) {
          for (int call = 0; call < (function == 0 ? i : 1); call++) {
            long at = 1000L * function + 100L * call;
            events.entry(at, 3L * i + function, 0, 0, 0x9000, 0);
            events.exit(at + 10, 3L * i + function, 0, 0, 0x9000, 0);
          }
        }
      }
    }
    return Files.write(folder.resolve("shop.ntr"), out.toByteArray());
  }

  private static String row(JsonReader row) {
    return String.join(
        " ",
        row.get("function").text(),
        row.get("process").isNull() ? "-" : row.get("process").text(),
        row.get("pid").isNull() ? "-" : String.valueOf(row.get("pid").number()),
        row.get("rva").isNull() ? "-" : row.get("rva").text(),
        String.valueOf(row.get("calls").number()));
  }

  private static List<String> rows(Path file) throws IOException {
    JsonReader flat = Cli.run("calls", file, "--flat", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("calls-flat").findings(flat));
    return flat.get("functions").array().stream().map(CallFlatRowsTest::row).sorted().toList();
  }

  @Test
  void theyHaveTheirProcessAndTheirPlaceInTheModule() throws IOException {
    assertEquals(
        List.of(
            "(unknown)!0x7000 - - - 1",
            "(unknown)!0x7000 - - - 1",
            "shop.dll!lookup shopd.exe 4001 0x10 1",
            "shop.dll!lookup shopd.exe 4001 0x20 1",
            "shop.dll!lookup shopd.exe 4002 0x10 2",
            "shop.dll!lookup shopd.exe 4002 0x20 1"),
        rows(write(2)));
    List<String> csv =
        Cli.run("calls", folder.resolve("shop.ntr"), "--flat", "--format", "csv").lines();
    assertTrue(csv.get(0).endsWith(",incomplete,min,process,pid,rva"), csv.get(0));
    assertTrue(csv.get(1).endsWith(",shopd.exe,4002,0x10"), csv.get(1));
  }

  @Test
  void whereAllIsOfOneProcessSoAreFunctionsOutsideOfModules() throws IOException {
    assertEquals(
        List.of(
            "(unknown)!0x7000 shopd.exe 4001 - 1",
            "shop.dll!lookup shopd.exe 4001 0x10 1",
            "shop.dll!lookup shopd.exe 4001 0x20 1"),
        rows(write(1)));
  }

  @Test
  void theScreenHasAColumnOfProcessesIfThereAreSeveral() throws IOException {
    String several = Cli.run("calls", write(2), "--flat").out();
    List<String> lines = several.lines().toList();
    assertTrue(lines.get(2).endsWith("  process           routine"), several);
    assertTrue(lines.get(3).endsWith("  shopd.exe (4002)  shop.dll!lookup"), several);
    assertTrue(several.endsWith("                  total\n"), several);
    String one = Cli.run("calls", write(1), "--flat").out();
    assertFalse(one.contains("process "), one);
    assertFalse(one.contains("shopd.exe"), one);
  }
}
