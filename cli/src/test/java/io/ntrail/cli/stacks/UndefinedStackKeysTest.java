package io.ntrail.cli.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.Damage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers about stacks that are known only by keys which nothing in the recording defines. */
class UndefinedStackKeysTest {
  private static final Path BUSY = TestData.projectRoot().resolve("samples/busy.etl");
  private static final String UNDEFINED = ", 3,844 stack keys undefined; ";
  private static final String WARNING =
      "warning: 3,844 references to undefined stack keys: stacks are incomplete\n";
  private static final int DEFINITION = 0x1824;
  private static final int NO_EVENT = 0xFE;

  @TempDir private static Path folder;
  private static Path none;
  private static Path half;

  @BeforeAll
  static void makeDamagedRecordings() throws IOException {
    byte[] whole = Files.readAllBytes(BUSY);
    none = folder.resolve("none.etl");
    half = folder.resolve("half.etl");
    Files.write(none, Damage.hookId(whole, 1, DEFINITION, NO_EVENT));
    Files.write(half, Damage.hookId(whole, 2, DEFINITION, NO_EVENT));
  }

  @Test
  void theShareWithStacksIsOfThoseWithFrames() {
    String profile = Cli.run("profile", none, "-n", "1").out();
    assertTrue(profile.contains("\n0.0 % with stacks" + UNDEFINED), profile);
    JsonReader json = Cli.run("profile", none, "--format", "json").json();
    assertEquals(0, json.get("stacks").get("withStack").number());
    assertEquals(3844, json.get("stacks").get("undefinedKeys").number());
    String oneCore = Cli.run("profile", none, "-n", "1", "--cores", "1").out();
    assertEquals(profile, oneCore);
    String part = Cli.run("profile", none, "-n", "1", "--time", "0..0.02").out();
    assertTrue(part.contains("\n0.0 % with stacks, "), part);
  }

  @Test
  void stacksOfWhichAPartIsKnownCountAsStacks() {
    long all =
        Cli.run("profile", BUSY, "--format", "json").json().get("stacks").get("withStack").number();
    JsonReader stacks = Cli.run("profile", half, "--format", "json").json().get("stacks");
    long some = stacks.get("withStack").number();
    assertTrue(some > all / 2 && some < all, () -> some + " of " + all);
    assertTrue(stacks.get("undefinedKeys").number() > 1000, stacks::toString);
  }

  @Test
  void theMostFrequentStacksSayWhyThereAreNone() throws IOException {
    Cli.Result text = Cli.run("stacks", none, "-e", "DiskIo/ReadInit");
    assertTrue(text.out().contains("\n0.0 % with stacks, 0 different" + UNDEFINED), text::out);
    assertTrue(text.out().endsWith("220 of 220 (100.0 %) have no stack\n"), text::out);
    assertEquals(WARNING, text.err());
    for (String format : List.of("csv", "jsonl")) {
      assertEquals(
          "warning: 220 of 220 events have no stack: not included\n" + WARNING,
          Cli.run("stacks", none, "-e", "DiskIo/ReadInit", "--format", format).err());
    }
    JsonReader json = Cli.run("stacks", none, "-e", "DiskIo/ReadInit", "--format", "json").json();
    assertEquals(3844, json.get("remarks").get("undefinedKeys").number());
    assertEquals(List.of(), JsonSchema.named("stacks").findings(json));
  }

  @Test
  void comparisonsAndPagesHaveTheSameShare() throws IOException {
    String diff = Cli.run("diff", BUSY, none, "-n", "1").out();
    assertTrue(diff.contains("0.0 % with stacks" + UNDEFINED), diff);
    Path page = folder.resolve("none.html");
    Cli.run("export", none, "--to", "flamegraph", "-o", page);
    assertTrue(Files.readString(page).contains("0.0 % with stacks" + UNDEFINED), page::toString);
  }

  @Test
  void aProgramThatAsksForStacksIsWarnedOnce() {
    String program = "ReadInit { @[stack()] = count(); }";
    Cli.Result probed = Cli.run("probe", program, none);
    assertTrue(probed.err().contains(WARNING), probed::err);
    assertFalse(Cli.run("probe", program, BUSY).err().contains("undefined"));
  }

  @Test
  void aDefinitionWithoutFramesDefinesNothing() throws IOException {
    byte[] file = Files.readAllBytes(BUSY);
    for (int buffer = 0; buffer < Damage.bufferOffsets(file).size(); buffer++) {
      for (int at : Damage.recordOffsets(file, buffer)) {
        if (file[at + 2] == 17 && LittleEndian.getU16(file, at + 6) == DEFINITION) {
          shorten(file, at);
        }
      }
    }
    Path cut = folder.resolve("cut.etl");
    Files.write(cut, file);
    String profile = Cli.run("profile", cut, "-n", "1").out();
    assertTrue(profile.contains("\n0.0 % with stacks" + UNDEFINED), profile);
  }

  /** Leaves a definition its key; the rest is padding, or becomes a record of nothing. */
  private static void shorten(byte[] file, int at) {
    int size = LittleEndian.getU16(file, at + 4);
    int key = 24;
    int rest = size - key;
    LittleEndian.putU16(file, at + 4, rest < 16 ? key + 4 : key);
    if (rest >= 16) {
      System.arraycopy(file, at, file, at + key, 16);
      LittleEndian.putU16(file, at + key + 4, rest);
      LittleEndian.putU16(file, at + key + 6, NO_EVENT);
    }
  }
}
