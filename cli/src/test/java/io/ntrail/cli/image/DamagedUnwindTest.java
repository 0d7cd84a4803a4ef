package io.ntrail.cli.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.SmallPe;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail image} of images whose unwind data are damaged. */
class DamagedUnwindTest {
  private static final int ENTRY = 12;

  @TempDir private Path folder;

  /** A real driver of 2,398 entries, 812 of them chained, and the places of its unwind data. */
  private static final class Driver {
    private final byte[] bytes;
    private final int table;

    Driver() throws IOException {
      this("acpi.sys");
    }

    Driver(String name) throws IOException {
      assumeTrue(TestData.available(), TestData.MISSING);
      bytes = TestData.gunzip("pe/windows/" + name + ".gz");
      table = offset(image().directory(DataDirectory.EXCEPTION).rva());
    }

    private PeImage image() {
      return PeImage.ofFile(InputFile.of(bytes, "acpi.sys"));
    }

    private int offset(long rva) {
      return (int) image().view().offset(rva);
    }

    private int entry(int i) {
      return table + ENTRY * i;
    }

    private int field(int i, int field) {
      return numbers().getInt(entry(i) + 4 * field);
    }

    private int unwindInfo(int i) {
      return offset(Integer.toUnsignedLong(field(i, 2)));
    }

    private ByteBuffer numbers() {
      return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private boolean isChained(int i) {
      return (bytes[unwindInfo(i)] >> 3 & 4) != 0;
    }

    private int firstChained() {
      int i = 0;
      while (!isChained(i)) {
        i++;
      }
      return i;
    }

    /** The place of the entry that a chained one ends with. */
    private int link(int i) {
      int codes = bytes[unwindInfo(i) + 2] & 0xFF;
      return unwindInfo(i) + 4 + 2 * (codes + 1 & ~1);
    }
  }

  private Path write(byte[] bytes) throws IOException {
    Path file = folder.resolve("damaged.sys");
    Files.write(file, bytes);
    return file;
  }

  private static List<JsonReader> gaps(Path file, Object... more) throws IOException {
    Object[] words = new Object[4 + more.length];
    List.of("image", file, "--format", "json").toArray(words);
    System.arraycopy(more, 0, words, 4, more.length);
    Cli.Result result = Cli.run(words);
    assertEquals(List.of(), JsonSchema.named("image").findings(result.json()));
    List<JsonReader> gaps = result.json().get("gaps").array();
    assertEquals(gaps.isEmpty() ? 0 : 3, result.exit(), result.err());
    return gaps;
  }

  @Test
  void soundUnwindDataAreNoGap() throws IOException {
    assertEquals(List.of(), gaps(write(new Driver().bytes), "--functions"));
  }

  @Test
  void unwindInformationOfAnUnknownVersionIsAGapWithItsPlace() throws IOException {
    Driver driver = new Driver();
    int place = driver.unwindInfo(0);
    driver.bytes[place] |= 7;
    JsonReader gap = gaps(write(driver.bytes)).getFirst();
    assertEquals(place, gap.get("offset").number());
    assertEquals("unwind information", gap.get("what").text());
    assertTrue(gap.get("why").text().endsWith("unknown version 7"), gap.get("why").text());
  }

  @Test
  void everyFormatEndsWithTheSameExitCode() throws IOException {
    Driver driver = new Driver();
    driver.bytes[driver.unwindInfo(0)] |= 7;
    Path file = write(driver.bytes);
    String first = "0x" + Integer.toHexString(driver.field(0, 0));
    for (String format : List.of("text", "json", "jsonl", "csv")) {
      for (List<String> part :
          List.of(
              List.of("--functions"),
              List.of("--unwind=" + first),
              List.of("--disasm=" + first),
              List.of("--sections"))) {
        Cli.Result result = Cli.run("image", file, part.getFirst(), "--format", format);
        assertEquals(3, result.exit(), part + " " + format + result.err());
        assertTrue(result.err().contains("unknown version 7"), result.err());
      }
    }
    assertEquals(3, Cli.run("image", file).exit());
    assertEquals(3, Cli.run("image", folder).exit());
  }

  @Test
  void textAndJsonCountTheSameDamagedEntries() throws IOException {
    Driver driver = new Driver();
    driver.bytes[driver.unwindInfo(0)] |= 7;
    // Unwind information far outside of the image.
    driver.numbers().putInt(driver.entry(1) + 8, 0x7000_0000);
    Path file = write(driver.bytes);
    JsonReader table = Cli.run("image", file, "--format", "json").json().get("functionTable");
    long damaged = table.get("damaged").number();
    assertTrue(damaged >= 2, damaged + " damaged");
    assertEquals(2_398, table.get("entries").number());
    String text = Cli.run("image", file).out();
    assertTrue(text.contains("2,398 in .pdata ("), text);
    assertTrue(text.contains(", " + damaged + " damaged)"), text);
  }

  @Test
  void anEntryWhoseUnwindInformationIsNowhereIsAGapInTheTable() throws IOException {
    Driver driver = new Driver();
    driver.numbers().putInt(driver.entry(5) + 8, 0x7000_0000);
    JsonReader gap = gaps(write(driver.bytes)).getFirst();
    assertEquals(driver.entry(5), gap.get("offset").number());
    assertEquals(ENTRY, gap.get("bytes").number());
    assertEquals("function table", gap.get("what").text());
  }

  @Test
  void aRangeThatEndsBeforeItBeginsIsAGapInTheTable() throws IOException {
    Driver driver = new Driver();
    driver.numbers().putInt(driver.entry(7) + 4, driver.field(7, 0) - 1);
    JsonReader gap = gaps(write(driver.bytes)).getFirst();
    assertEquals(driver.entry(7), gap.get("offset").number());
    assertTrue(gap.get("why").text().contains("ends before it begins"), gap.get("why").text());
  }

  @Test
  void aPartWhoseOwnerIsNoFunctionIsListedWithTheDoubtAndAGap() throws IOException {
    Driver driver = new Driver();
    int part = driver.firstChained();
    int begin = driver.field(part, 0);
    // Its link now leads to a start between two functions.
    int owner = driver.numbers().getInt(driver.link(part)) + 1;
    driver.numbers().putInt(driver.link(part), owner);
    Path file = write(driver.bytes);

    JsonReader gap = gaps(file).getFirst();
    assertEquals(driver.entry(part), gap.get("offset").number());
    JsonReader row =
        Cli.run("image", file, "--functions", "--format", "json")
            .json()
            .get("functions")
            .array()
            .stream()
            .filter(r -> r.get("rva").text().equals("0x" + Integer.toHexString(begin)))
            .findFirst()
            .orElseThrow();
    assertEquals("0x" + Integer.toHexString(owner), row.get("continues").text());
    assertEquals(driver.field(part, 1) - begin, row.get("size").number());
    String text = Cli.run("image", file, "--disasm=0x" + Integer.toHexString(begin)).out();
    assertTrue(
        text.contains(
            "by its unwind data a part of 0x"
                + Integer.toHexString(owner)
                + ", where no function is known"),
        text);
  }

  @Test
  void aMillionEntriesOfOneFaultAreOneGap() throws IOException {
    int count = 1_000_000;
    LittleEndian table = new LittleEndian();
    for (int i = 0; i < count; i++) {
      // One byte of code each, unwind information past the image.
      table.u32(SmallPe.FIRST + i).u32(SmallPe.FIRST + i + 1).u32(0x7000_0000L);
    }
    SmallPe image = new SmallPe(0x8664);
    image.section(".text", SmallPe.CODE, new byte[count]);
    image.directory(
        3, image.section(".pdata", SmallPe.CONSTANTS, table.toByteArray()), 12L * count);
    Path file = write(image.file());

    Cli.Result text = Cli.run("image", file);
    assertEquals(3, text.exit());
    assertTrue(text.out().contains("1,000,000 damaged"), text.out());
    JsonReader json = Cli.run("image", file, "--format", "json").json();
    assertEquals(count, json.get("functionTable").get("damaged").number());
    assertEquals(1, json.get("gaps").array().size());
    JsonReader gap = json.get("gaps").array().getFirst();
    assertEquals(12L * count, gap.get("bytes").number());
    assertTrue(gap.get("why").text().contains("and 999999 after it"), gap.get("why").text());
  }

  @Test
  void damageBehindReadableCodesIsSaidInTheTableToo() throws IOException {
    // Unwind information of version 1, unlike that of the driver.
    Driver driver = new Driver("kernel32.dll");
    int i = 0;
    // UWOP_PUSH_NONVOL is 0, UWOP_ALLOC_SMALL 2: codes of one slot.
    while ((driver.bytes[driver.unwindInfo(i)] & 7) != 1
        || driver.isChained(i)
        || driver.bytes[driver.unwindInfo(i) + 2] < 2
        || (driver.bytes[driver.unwindInfo(i) + 5] & 0xD) != 0) {
      i++;
    }
    // The second code gets an operation that does not exist.
    driver.bytes[driver.unwindInfo(i) + 7] |= 0xF;
    Path file = write(driver.bytes);
    String text = Cli.run("image", file, "--functions", "--unwind=", "--wide").out();
    assertTrue(text.contains(", damaged: the code in slot 1 has an unknown operation"), text);
  }
}
