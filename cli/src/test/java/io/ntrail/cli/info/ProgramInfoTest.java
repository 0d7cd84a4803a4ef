package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail info} of files that are no recordings. */
class ProgramInfoTest {
  private static final Path SAMPLES = TestData.projectRoot().resolve("samples");

  @TempDir private Path folder;

  @Test
  void anImageSaysWhatItIsAndWhichCommandTellsMore() {
    Path file = SAMPLES.resolve("shopd.exe");
    assertEquals(
        List.of(
            file + ": Windows program or library (PE32+), x64, 2,048 bytes",
            "  id       PDB shopd.pdb 1C4FC38A-0337-26B4-4C4C-44205044422E age 1",
            "  command  ntrail image " + file),
        Cli.run("info", file).lines());
  }

  @Test
  void anImageAndItsPdbHaveTheSameIdentity() throws IOException {
    JsonReader image = json(SAMPLES.resolve("shopd.exe"));
    JsonReader pdb = json(SAMPLES.resolve("shopd.pdb"));
    assertEquals("image", image.get("kind").text());
    assertEquals("pdb", pdb.get("kind").text());
    assertEquals(image.get("pdb").get("guid"), pdb.get("pdb").get("guid"));
    assertTrue(pdb.get("codeId").isNull());
  }

  private static JsonReader json(Path file) throws IOException {
    JsonReader json = Cli.run("info", file, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("info").definition("program").findings(json));
    return json.get("files").array().getFirst();
  }

  @Test
  void anEmptyZipIsAnEmptyArchive() throws IOException {
    Path zip = folder.resolve("empty.zip");
    new ZipOutputStream(Files.newOutputStream(zip)).close();
    for (String command : List.of("info", "events", "profile", "stacks", "calls", "image")) {
      Cli.Result result = Cli.run(command, zip);
      assertEquals(1, result.exit());
      assertEquals("ntrail: " + zip + " is an empty archive", result.messages().getFirst());
    }
  }

  /** Every command refuses every other kind of file with a command that reads it. */
  @Test
  void aFileOfAnotherKindNamesTheCommandForIt() {
    Map<String, String> readers =
        Map.of(
            "shop.etl", "info|profile",
            "shop.dmp", "stacks",
            "shop.ntr", "calls",
            "shop.jtrc", "calls",
            "shopcore.dll", "image",
            "shopd.pdb", "symbols");
    List<List<String>> commands =
        List.of(
            List.of("events"),
            List.of("profile"),
            List.of("stacks"),
            List.of("calls"),
            List.of("diff", "both"),
            List.of("image"),
            List.of("symbols"),
            List.of("pt", "packets"));
    List<String> wrong = new ArrayList<>();
    readers.forEach((name, reader) -> {
      Path file = TestData.projectRoot().resolve("samples").resolve(name);
      for (List<String> command : commands) {
        List<Object> words = new ArrayList<>(command);
        words.remove("both");
        words.add(file);
        if (command.contains("both")) {
          words.add(file);
        }
        Cli.Result result = Cli.run(words.toArray());
        String proposed = ".*\ntry: ntrail (" + reader + ") .*" + Pattern.quote(name) + ".*";
        boolean isAnother = result.exit() == 1 && !result.err().contains("no PDB found");
        if (isAnother
            && !Pattern.compile(proposed, Pattern.DOTALL).matcher(result.err()).matches()) {
          wrong.add(words + ": " + result.err());
        }
      }
    });
    assertEquals(List.of(), wrong);
  }

  @Test
  void whatIsNeitherIsRefusedAsBefore() throws IOException {
    Path text = folder.resolve("letter.bin");
    Files.write(text, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
    Cli.Result result = Cli.run("info", text);
    assertEquals(1, result.exit());
    assertTrue(result.err().contains(" is not a recording"), result.err());
  }
}
