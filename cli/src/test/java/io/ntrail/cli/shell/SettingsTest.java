package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.shell.Settings.Setting;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;

/** The settings file: where it is, what it says, and what comes of it. */
class SettingsTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.etl");

  @TempDir private Path folder;

  private Settings settings(String... lines) throws IOException {
    return Settings.read(Optional.of(Files.write(folder.resolve("config"), List.of(lines))));
  }

  private static CommandSpec spec(String command) {
    return Commands.named(command).orElseThrow().make().get().spec();
  }

  @Test
  void theFileIsWhereTheSystemKeepsSettings() {
    assertEquals(
        Optional.of(Path.of("/home/a/.config/ntrail/config")), Settings.place(Map.of(), "/home/a"));
    assertEquals(
        Optional.of(Path.of("/x/ntrail/config")),
        Settings.place(Map.of("XDG_CONFIG_HOME", "/x"), "/home/a"));
    assertEquals(
        Optional.of(Path.of("/r/ntrail/config")), Settings.place(Map.of("APPDATA", "/r"), "/h"));
    assertEquals(
        Optional.of(Path.of("/mine")), Settings.place(Map.of("NTRAIL_CONFIG", "/mine"), "/h"));
    assertEquals(Optional.empty(), Settings.place(Map.of("NTRAIL_CONFIG", ""), "/h"));
  }

  @Test
  void aSettingIsTheOptionThatItStandsFor() throws IOException {
    Settings settings =
        settings("# mine", "", "color = never", "symbols.path=/sym bols", "ascii = yes");
    assertEquals(List.of(), settings.problems());
    assertEquals(
        List.of("--color", "never", "--ascii", "-y", "/sym bols"),
        settings.options(spec("profile"), _ -> false));
    assertEquals(
        List.of("--color", "never", "--ascii"), settings.options(spec("info"), _ -> false));
  }

  @Test
  void whatIsTypedGoesBeforeASetting() throws IOException {
    Settings settings = settings("color = never", "cores = 3");
    assertEquals(List.of("--cores", "3"), settings.options(spec("profile"), "--color"::equals));
  }

  @Test
  void unknownNamesAndValuesAreToldWithTheirLine() throws IOException {
    Settings settings = settings("colour = never", "color = purple", "nonsense");
    Path file = folder.resolve("config");
    assertEquals(
        List.of(
            file + ":1: unknown setting colour (nearest: color)",
            file + ":2: color cannot be purple (colour: auto, always or never)",
            file + ":3: not NAME = VALUE: nonsense"),
        settings.problems());
    assertEquals(Optional.empty(), settings.value(Setting.COLOR));
  }

  private record Ran(int exit, String out, String err) {}

  private Ran run(String... words) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(Cli.command(words));
    builder.environment().put("NTRAIL_CONFIG", folder.resolve("new/config").toString());
    Process process = builder.start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ran(process.waitFor(), out, err);
  }

  @Test
  void configChangesTheFileAndCommandsFollowIt() throws Exception {
    assertEquals(new Ran(0, "color = always\n", ""), run("config", "color", "always"));
    assertEquals(new Ran(0, "always\n", ""), run("config", "color"));
    assertTrue(run("info", SAMPLE.toString()).out.contains("\u001b[1m"));
    assertFalse(run("info", SAMPLE.toString(), "--color", "never").out.contains("\u001b"));
    Path file = folder.resolve("new/config");
    Files.writeString(file, "# mine\n" + Files.readString(file) + "other = 1\n");
    Ran unset = run("config", "color", "--unset");
    assertEquals(0, unset.exit, unset.err);
    assertTrue(unset.err.contains("config:3: unknown setting other"), unset.err);
    assertEquals("# mine\nother = 1\n", Files.readString(file));
  }

  @Test
  void aFileThatCannotBeReadIsToldAndNotWrittenOver() throws IOException {
    byte[] latin1 = "# f\u00fcr mich\ncolor = never\n".getBytes(StandardCharsets.ISO_8859_1);
    Path file = Files.write(folder.resolve("config"), latin1);
    Settings settings = Settings.read(Optional.of(file));
    assertEquals(1, settings.problems().size());
    assertTrue(settings.problems().getFirst().startsWith(file + " cannot be read: "));
    assertThrows(CannotGoOn.class, () -> settings.change(Setting.CORES, "2"));
    assertArrayEquals(latin1, Files.readAllBytes(file));
  }

  @Test
  void aSettingThatThereIsNotIsRefusedWithTheNearest() {
    Cli.Result result = Cli.run("config", "symbol.path", "/x");
    assertEquals(2, result.exit());
    assertTrue(result.err().contains("(nearest: symbols.path)"), result.err());
    assertEquals(2, Cli.run("config", "color", "purple").exit());
  }
}
