package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedThread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls of a thread whose process the recording does not tell: it is not the process 0. */
class UnknownProcessTest {
  @TempDir private Path folder;

  private Path file;

  @BeforeEach
  void write() throws IOException {
    NtrHeader header =
        new NtrHeader(0, 1_000_000, 0, 0, 0x8664, 8, NtrHeader.TIME_STAMP_COUNTER, "test");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header, 1)) {
      writer.thread(TracedThread.running(1, 9, 5001, 0, ""));
      writer.function(new TracedFunction(1, 0, 0x7000, "lookup", List.of()));
      ThreadEventWriter events = writer.events(1);
      events.entry(1_000, 1, 0, 0, 0x9000, 0);
      events.exit(1_010, 1, 0, 0, 0x9000, 0);
    }
    file = Files.write(folder.resolve("shop.ntr"), out.toByteArray());
  }

  private JsonReader json(String schema, Object... words) throws IOException {
    JsonReader json = Cli.run(words).json();
    assertEquals(List.of(), JsonSchema.named(schema).findings(json));
    return json;
  }

  @Test
  void itsIdIsNullInJson() throws IOException {
    JsonReader calls = json("calls", "calls", file, "--format", "json");
    assertTrue(calls.get("threads").array().getFirst().get("pid").isNull());
    assertTrue(calls.get("calls").array().getFirst().get("pid").isNull());
    JsonReader flat = json("calls-flat", "calls", file, "--flat", "--format", "json");
    assertTrue(flat.get("functions").array().getFirst().get("pid").isNull());
    JsonReader info = json("info", "info", file, "--format", "json");
    assertTrue(info.get("threads").array().getFirst().get("pid").isNull());
  }

  @Test
  void theScreenSaysSo() {
    String calls = Cli.run("calls", file).out();
    assertTrue(calls.contains("\nprocess unknown, thread 5001\n"), calls);
  }

  @Test
  void noChoiceOfProcessesFindsIt() {
    assertEquals(1, Cli.run("calls", file, "-p", "0").exit());
  }
}
