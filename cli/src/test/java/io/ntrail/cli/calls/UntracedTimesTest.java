package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampleTrace;
import io.ntrail.formats.ntr.UntracedModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Modules that were not traced for some time are told wherever calls are. */
class UntracedTimesTest {
  private static final long BEGAN = 7_000_000_000L;
  private static final long SECOND = 2_400_000_000L;

  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file =
        Files.write(
            folder.resolve("shop.ntr"),
            SampleTrace.make(
                new UntracedModule(
                    1, 1, BEGAN + 3 * SECOND, 0, "C:\\shop\\late.dll", "its loading did not wait"),
                new UntracedModule(
                    2,
                    1,
                    BEGAN + SECOND,
                    BEGAN + 2 * SECOND,
                    "C:\\shop\\plug.dll",
                    "it was slow")));
  }

  @Test
  void recordingsWithSuchModulesAreNotComplete() {
    for (String[] words :
        List.of(
            new String[] {"calls"},
            new String[] {"calls", "--flat"},
            new String[] {"calls", "--slowest", "3"},
            new String[] {"profile"},
            new String[] {"info"})) {
      Object[] all = new Object[words.length + 1];
      System.arraycopy(words, 0, all, 0, words.length);
      all[words.length] = file;
      Cli.Result result = Cli.run(all);
      assertEquals(0, result.exit(), result.err());
      String first = result.out().lines().findFirst().orElse("");
      assertTrue(first.contains("2 modules not traced for some time"), first);
      assertFalse(first.contains("complete"), first);
    }
    assertEquals(3, Cli.run("calls", file, "--strict").exit());
  }

  @Test
  void theirTimesAreToldInWords() {
    String plug = "plug.dll was not traced from 1.000000 s to 2.000000 s: it was slow";
    String late = "late.dll was not traced from 3.000000 s on: its loading did not wait";
    String warned = Cli.run("calls", file).err();
    assertTrue(warned.contains("warning: " + plug + "\nwarning: " + late + "\n"), warned);
    String info = Cli.run("info", file).out();
    assertTrue(info.contains("  " + plug + "\n  " + late + "\n"), info);
  }

  @Test
  void theirTimesAreInJson() throws IOException {
    for (JsonReader json :
        List.of(
            checked(JsonSchema.named("calls"), Cli.run("calls", file, "--format", "json").json()),
            checked(
                JsonSchema.named("calls-flat"),
                Cli.run("calls", file, "--flat", "--format", "json").json()),
            checked(
                JsonSchema.named("info").definition("calls"),
                Cli.run("info", file, "--format", "json").json()))) {
      List<JsonReader> untraced = json.get("untraced").array();
      assertEquals(2, untraced.size());
      JsonReader plug = untraced.getFirst();
      assertEquals("plug.dll", plug.get("module").text());
      assertEquals(1_000_000_000, plug.get("fromNanos").number());
      assertEquals(2_000_000_000, plug.get("toNanos").number());
      assertEquals("it was slow", plug.get("why").text());
      assertTrue(untraced.get(1).get("toNanos").isNull());
    }
  }

  private static JsonReader checked(JsonSchema schema, JsonReader json) {
    assertEquals(List.of(), schema.findings(json));
    return json;
  }
}
