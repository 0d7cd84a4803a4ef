package io.ntrail.formats.archives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.MemoryBudget;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.ProcessorTime;
import io.ntrail.testkit.compress.ZipWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Zips are opened within limits, whatever their headers claim. */
class ZipMembersTest {
  private static final ExternalTool SEVEN_ZIP = ExternalTool.of("7z", "7z", "7za");
  private static final int LIMIT = 100_000;

  @TempDir Path folder;
  private final Gaps gaps = new Gaps();
  private final List<Long> heads = new ArrayList<>();

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private Path file(String name, byte[] bytes) throws IOException {
    return Files.write(folder.resolve(name), bytes);
  }

  /** Names of members without the zip's, with their bytes as text. */
  private Map<String, String> open(Path path) {
    Map<String, String> members = new TreeMap<>();
    for (InputFile input : Archives.open(path, name -> name.endsWith(".etl"), gaps)) {
      int size = (int) input.size();
      members.put(
          input.name().substring(path.toString().length() + 2),
          new String(input.window(0, size).array(0, size), StandardCharsets.US_ASCII));
      input.close();
    }
    assertEquals(0, MemoryBudget.ofProcess().reserved(), "memory that is still reserved");
    return members;
  }

  private Map<String, String> open(ZipWriter zip) throws IOException {
    return open(file("a.zip", zip.write()));
  }

  private CannotGoOn refusal(byte[] zip) throws IOException {
    Path path = file("a.zip", zip);
    return assertThrows(CannotGoOn.class, () -> open(path));
  }

  private String why() {
    assertEquals(1, gaps.list().size(), gaps.list()::toString);
    return gaps.list().getFirst().why();
  }

  /** A choice that refuses zeros, and remembers what it was shown. */
  private MemberChoice noZeros(boolean looksFurther) {
    return new MemberChoice() {
      @Override
      public boolean accepts(String name) {
        return name.endsWith(".etl");
      }

      @Override
      public boolean decide(InputFile head, boolean isLast) {
        heads.add(head.size());
        int size = (int) head.size();
        if (looksFurther && !isLast) {
          return false;
        }
        if (head.window(0, size).isZero(0, size)) {
          throw new CannotGoOn(head.name() + " is nothing but zeros", "");
        }
        return true;
      }
    };
  }

  @Test
  void membersAreInflated() throws IOException {
    ZipWriter zip =
        new ZipWriter()
            .stored("sub/A.ETL", ascii("one"))
            .member("b.txt", ascii("no"))
            .member("b.etl", ascii("two"))
            .streamed("c.etl", ascii("three"));
    assertEquals(Map.of("sub/A.ETL", "one", "b.etl", "two", "c.etl", "three"), open(zip));
    assertEquals(List.of(), gaps.list());
  }

  @Test
  void zipsOfAnotherToolAreOpened() throws Exception {
    assumeTrue(SEVEN_ZIP.available(), SEVEN_ZIP.missing());
    file("r\u00E9sum\u00E9.etl", ascii("x".repeat(100_000)));
    file("plain.etl", ascii("y"));
    file("long.txt", ascii("z".repeat(100_000)));
    for (String method : List.of("Copy", "Deflate")) {
      Path zip = folder.resolve(method + ".zip");
      SEVEN_ZIP.run(
          folder, Map.of("LC_ALL", "C.UTF-8"), "a", "-tzip", "-mm=" + method, zip.toString(), ".");
      assertEquals(
          Map.of("plain.etl", "y", "r\u00E9sum\u00E9.etl", "x".repeat(100_000)), open(zip), method);
    }
    assertEquals(List.of(), gaps.list());
    Path other = folder.resolve("lzma.zip");
    SEVEN_ZIP.run(folder, Map.of(), "a", "-tzip", "-mm=LZMA", other.toString(), "long.txt");
    CannotGoOn refusal =
        assertThrows(CannotGoOn.class, () -> Archives.open(other, _ -> true, gaps));
    assertEquals(
        other + "!/long.txt is compressed with method 14, which ntrail does not read",
        refusal.message());
    assertFalse(refusal.nextStep().isEmpty());
  }

  @Test
  void encryptedMembersOfAnotherToolAreRefused() throws Exception {
    assumeTrue(SEVEN_ZIP.available(), SEVEN_ZIP.missing());
    file("plain.etl", ascii("y"));
    Path zip = folder.resolve("a.zip");
    SEVEN_ZIP.run(folder, Map.of(), "a", "-tzip", "-psecret", zip.toString(), "plain.etl");
    CannotGoOn refusal = assertThrows(CannotGoOn.class, () -> open(zip));
    assertEquals(zip + "!/plain.etl is encrypted", refusal.message());
  }

  @Test
  void aMemberUnderTwoNamesIsRefused() throws IOException {
    ZipWriter zip =
        new ZipWriter().member("0.txt", ascii("x")).member("a.etl", ascii("y")).again("b.etl");
    int at = new ZipWriter().member("0.txt", ascii("x")).withoutDirectory().length;
    CannotGoOn refusal = refusal(zip.write());
    assertTrue(
        refusal
            .message()
            .contains("members a.etl at offset " + at + " and b.etl at offset " + at + " share"),
        refusal.message());
    assertFalse(refusal.nextStep().isEmpty());
  }

  @Test
  void aMemberThatQuotesTheHeaderOfAnotherIsRefused() throws IOException {
    ZipWriter zip = new ZipWriter().quoting("a.etl", "b.etl", ascii("payload"));
    // Local header of 30 bytes and the name; then the header of a stored block, 5 bytes.
    assertTrue(
        refusal(zip.write())
            .message()
            .contains("members a.etl at offset 0 and b.etl at offset 40 share bytes"));
  }

  @Test
  void membersWithoutOverlapMayLieInAnyOrder() throws IOException {
    ZipWriter zip = new ZipWriter();
    for (int i = 9; i >= 0; i--) {
      zip.streamed(i + ".etl", ascii("text " + i));
    }
    assertEquals(10, open(zip).size());
  }

  @Test
  void oneMemberMoreThanTheLimitIsRefused() throws IOException {
    ZipWriter zip = new ZipWriter();
    for (int i = 0; i < LIMIT; i++) {
      zip.stored(i + (i == 0 ? ".etl" : ".x"), new byte[0]);
    }
    zip.countAtEnd(LIMIT);
    assertEquals(Map.of("0.etl", ""), open(zip));
    zip.stored("last.etl", new byte[0]);
    // It tells too few: what counts is what is there.
    assertTrue(refusal(zip.write()).message().contains("contains more than 100,000 members"));
    assertTrue(
        refusal(zip.withoutDirectory()).message().contains("contains more than 100,000 members"));
    CannotGoOn refusal = refusal(zip.countAtEnd(LIMIT + 1).write());
    assertTrue(
        refusal.message().endsWith("contains 100,001 members, and at most 100,000 are opened"),
        refusal.message());
    assertFalse(refusal.nextStep().isEmpty());
  }

  @Test
  void aCountThatIsClaimedReservesNothing() throws IOException {
    ZipWriter zip = new ZipWriter().stored("a.etl", ascii("x")).countAtEnd(Long.MAX_VALUE);
    assertTrue(refusal(zip.write()).message().contains("contains 9,223,372,036,854,775,807"));
  }

  @Test
  void aSizeThatIsClaimedReservesNothing() throws IOException {
    byte[] packed = ZipWriter.deflated(ascii("short"));
    ZipWriter zip = new ZipWriter().member("a.etl", 0, 8, packed, 1L << 60, 0);
    assertEquals(Map.of("a.etl", "short"), open(zip));
    assertEquals(
        "it inflates to 5 bytes, not the 1,152,921,504,606,846,976 of its directory entry", why());
  }

  @Test
  void dataBeyondTheirSizeAreNotInflated() throws IOException {
    byte[] packed = ZipWriter.deflated(new byte[0], 1L << 30);
    ZipWriter zip = new ZipWriter().member("a.etl", 0, 8, packed, 7, 0);
    assertEquals(Map.of("a.etl", "\0".repeat(7)), open(zip));
    assertEquals("it inflates to more than its directory entry", why());
  }

  @Test
  void aWrongChecksumIsAGap() throws IOException {
    ZipWriter zip =
        new ZipWriter().member("a.etl", 0, 0, ascii("wrong"), 5, ZipWriter.crc(ascii("right")));
    assertEquals(Map.of("a.etl", "wrong"), open(zip));
    assertTrue(why().startsWith("its checksum is "), why());
  }

  @Test
  void damagedDataGiveWhatIsBeforeTheDamage() throws IOException {
    byte[] packed = ZipWriter.deflated(ascii("0123456789".repeat(1000)));
    byte[] cut = Arrays.copyOf(packed, packed.length - 8);
    ZipWriter zip =
        new ZipWriter().member("a.etl", 0, 8, cut, 10_000, 0).member("b.etl", ascii("whole"));
    Map<String, String> members = open(zip);
    assertEquals("whole", members.get("b.etl"));
    Gap gap = gaps.list().getFirst();
    assertEquals(members.getOrDefault("a.etl", "").length(), gap.offset());
    assertEquals("the compressed file is truncated", why());
  }

  @Test
  void aDamagedLocalHeaderIsAGapBesideOtherMembers() throws IOException {
    ZipWriter zip = new ZipWriter().stored("0.txt", ascii("x"));
    int second = zip.withoutDirectory().length;
    byte[] damaged = zip.member("a.etl", ascii("one")).member("b.etl", ascii("two")).write();
    damaged[second] = 0;
    assertEquals(Map.of("b.etl", "two"), open(file("a.zip", damaged)));
    assertEquals("no member starts here", why());
    assertEquals(second, gaps.list().getFirst().offset());
  }

  @Test
  void aZipWithoutDirectoryGivesItsMembersOneAfterTheOther() throws IOException {
    ZipWriter zip =
        new ZipWriter()
            .streamed("a.txt", ascii("not wanted"))
            .streamed("a.etl", ascii("one"))
            .stored("b.txt", ascii("not wanted"))
            .stored("b.etl", ascii("two"))
            .member("c.etl", ascii("three"));
    assertEquals(
        Map.of("a.etl", "one", "b.etl", "two", "c.etl", "three"),
        open(file("a.zip", zip.withoutDirectory())));
    assertEquals("the directory at its end is missing", why());
  }

  @Test
  void aZipBehindOtherBytesIsOpened() throws IOException {
    byte[] zip = new ZipWriter().member("a.etl", ascii("one")).write();
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.writeBytes(new ZipWriter().stored("b.etl", ascii("two")).withoutDirectory());
    both.writeBytes(zip);
    assertEquals(Map.of("a.etl", "one"), open(file("a.zip", both.toByteArray())));
  }

  @Test
  void zipsThatAreCutAnywhereAreRefusedOrGaps() throws IOException {
    byte[] zip =
        new ZipWriter()
            .streamed("a.etl", ascii("one"))
            .member("b.txt", ascii("no"))
            .stored("c.etl", ascii("two"))
            .write();
    for (int length = 4; length < zip.length; length++) {
      Path path = file("a.zip", Arrays.copyOf(zip, length));
      try {
        assertFalse(open(path).isEmpty());
        assertFalse(gaps.isEmpty(), "cut at " + length);
      } catch (CannotGoOn e) {
        assertFalse(e.message().isEmpty());
      }
    }
  }

  @Test
  void theFirst64KibibytesDecide() throws IOException {
    ZipWriter zip =
        new ZipWriter()
            .member("a.etl", ascii("small"))
            .padded("b.etl", ascii("MZ"), 70_000)
            .padded("c.etl", new byte[0], 65_536);
    assertEquals(List.of("a.etl", "b.etl"), opened(zip.write()));
    assertEquals("it is nothing but zeros", why());
    assertEquals(List.of(65_536L, 65_536L), heads);
    assertEquals(0, MemoryBudget.ofProcess().reserved());
  }

  @Test
  void tenGigabytesOfZerosAreRefusedByTheirBeginning() throws IOException {
    long size = 10L << 30;
    byte[] packed = ZipWriter.deflated(new byte[0], size);
    Path zip = file("a.zip", new ZipWriter().member("a.etl", 0, 8, packed, size, 0).write());
    ByteArrayOutputStream member = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(member)) {
      out.write(new byte[1 << 26]);
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (long at = 0; at < size; at += 1 << 26) {
      all.writeBytes(member.toByteArray());
    }
    Path gzip = file("a.gz", all.toByteArray());
    for (Path path : List.of(zip, gzip)) {
      for (boolean looksFurther : new boolean[] {false, true}) {
        heads.clear();
        ProcessorTime.within(
            Duration.ofSeconds(5),
            () ->
                assertThrows(
                    CannotGoOn.class, () -> Archives.open(path, noZeros(looksFurther), gaps)));
        assertEquals(
            looksFurther ? List.of(65_536L, (16L << 20) + 65_536) : List.of(65_536L), heads);
      }
    }
    assertEquals(0, MemoryBudget.ofProcess().reserved());
  }

  /** Returns the names of the members of a zip that are opened. */
  private List<String> opened(byte[] zip) throws IOException {
    List<InputFile> inputs = Archives.open(file("a.zip", zip), noZeros(false), gaps);
    inputs.forEach(InputFile::close);
    return inputs.stream().map(input -> input.name().substring(input.name().length() - 5)).toList();
  }

  @Test
  void aMemberThatIsRefusedByItsBeginningIsAGapAmongOthers() throws IOException {
    byte[] zeros = new byte[1 << 20];
    ZipWriter zip =
        new ZipWriter()
            .member("a.etl", zeros)
            .streamed("b.etl", zeros)
            .member("c.etl", ascii("three"));
    for (byte[] bytes : List.of(zip.write(), zip.withoutDirectory())) {
      assertEquals(List.of("c.etl"), opened(bytes));
    }
    String name = folder.resolve("a.zip") + "!/";
    assertEquals(
        List.of(name + "a.etl", name + "b.etl"),
        gaps.list().stream()
            .filter(gap -> gap.why().equals("it is nothing but zeros"))
            .map(Gap::file)
            .toList());
  }

  @Test
  void anArchiveInAnArchiveIsNotOpened() throws IOException {
    byte[] inner = new ZipWriter().member("a.etl", ascii("one")).write();
    Path outer = file("a.zip", new ZipWriter().member("inner.etl", inner).write());
    assertTrue(open(outer).getOrDefault("inner.etl", "").startsWith("PK"));
  }
}
