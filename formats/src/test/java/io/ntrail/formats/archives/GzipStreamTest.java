package io.ntrail.formats.archives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All members of a gzip file are read, and what is none is not ignored. */
class GzipStreamTest {
  private static final int FLAGS = 3;
  private static final int HEADER = 10;
  private static final int TRAILER = 8;

  @TempDir Path folder;
  private final Gaps gaps = new Gaps();

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] member(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(ascii(text));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }

  private static byte[] with(byte[] bytes, int at, int value) {
    byte[] changed = bytes.clone();
    changed[at] = (byte) value;
    return changed;
  }

  private String open(byte[]... parts) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    Path file = Files.write(folder.resolve("a.gz"), all.toByteArray());
    List<InputFile> opened = Archives.open(file, _ -> true, gaps);
    assertEquals(1, opened.size(), "files");
    try (InputFile input = opened.getFirst()) {
      int size = (int) input.size();
      return new String(input.window(0, size).array(0, size), StandardCharsets.US_ASCII);
    }
  }

  private void assertGap(long offset, String why) {
    String name = folder.resolve("a.gz").toString();
    assertEquals(List.of(new Gap(name, offset, -1, "compressed data", why)), gaps.list());
  }

  private void assertNoGaps() {
    assertEquals(List.of(), gaps.list());
  }

  @Test
  void membersFollowEachOther() throws IOException {
    String large = "x".repeat(1 << 20);
    assertEquals("one" + large + "two", open(member("one"), member(large), member("two")));
    assertNoGaps();
  }

  @Test
  void aMemberMayBeEmpty() throws IOException {
    assertEquals("two", open(member(""), member("two")));
    assertNoGaps();
  }

  @Test
  void bytesBehindTheLastMemberAreAGap() throws IOException {
    assertEquals("one", open(member("one"), ascii("garbage".repeat(100_000))));
    assertGap(3, "700,000 bytes behind the last member are not gzip data");
  }

  @Test
  void aByteBehindTheLastMemberIsAGap() throws IOException {
    assertEquals("one", open(member("one"), ascii("\n")));
    assertGap(3, "a byte behind the last member is not gzip data");
  }

  @Test
  void aMemberBehindGarbageIsAGap() throws IOException {
    byte[] lost = member("two");
    assertEquals("one", open(member("one"), ascii("XX"), lost));
    assertGap(3, 2 + lost.length + " bytes behind the last member are not gzip data");
  }

  @Test
  void aLaterMemberWithADamagedHeaderIsAGap() throws IOException {
    byte[] lost = member("two");
    for (int at = 0; at < 3; at++) {
      assertEquals("one", open(member("one"), with(lost, at, 0x1E)));
      assertGap(3, lost.length + " bytes behind the last member are not gzip data");
    }
  }

  @Test
  void zerosBehindTheLastMemberArePadding() throws IOException {
    assertEquals("one", open(member("one"), new byte[100_000]));
    assertNoGaps();
  }

  @Test
  void aMemberBehindZerosIsRead() throws IOException {
    assertEquals("onetwo", open(member("one"), new byte[512], member("two")));
    assertNoGaps();
  }

  @Test
  void zerosAreNoPartOfTheGarbageBehindThem() throws IOException {
    assertEquals("one", open(member("one"), new byte[512], ascii("XXX")));
    assertGap(3, "3 bytes behind the last member are not gzip data");
  }

  @Test
  void aFileThatEndsInsideALaterHeaderIsTruncated() throws IOException {
    assertEquals("one", open(member("one"), Arrays.copyOf(member("two"), HEADER - 1)));
    assertGap(3, "the compressed file is truncated");
  }

  @Test
  void aFileThatEndsInsideATrailerIsTruncated() throws IOException {
    byte[] whole = member("one");
    assertEquals("one", open(Arrays.copyOf(whole, whole.length - 1)));
    assertGap(3, "the compressed file is truncated");
  }

  @Test
  void aWrongChecksumIsAGap() throws IOException {
    byte[] whole = member("one");
    int at = whole.length - TRAILER;
    CRC32 checksum = new CRC32();
    checksum.update(ascii("one"));
    long wrong = checksum.getValue() ^ 1;
    assertEquals("one", open(with(whole, at, (int) wrong)));
    assertGap(
        3,
        "its checksum is %08x, not %08x: some of it is wrong"
            .formatted(checksum.getValue(), wrong));
  }

  @Test
  void aWrongLengthIsAGap() throws IOException {
    byte[] whole = member("one");
    assertEquals("one", open(with(whole, whole.length - 4, 4)));
    assertGap(3, "it inflates to 3 bytes, and their number is wrong in its end");
  }

  /** Returns a member whose header has everything that a header may have. */
  private static byte[] memberWithLongHeader(int checksumChange) {
    byte[] plain = member("one");
    ByteArrayOutputStream header = new ByteArrayOutputStream();
    header.write(with(plain, FLAGS, 2 | 4 | 8 | 16), 0, HEADER);
    header.writeBytes(new byte[] {3, 0, 'e', 'x', 't'});
    header.writeBytes(ascii("name\0comment\0"));
    CRC32 checksum = new CRC32();
    checksum.update(header.toByteArray());
    header.write((int) checksum.getValue() ^ checksumChange);
    header.write((int) checksum.getValue() >>> 8);
    header.write(plain, HEADER, plain.length - HEADER);
    return header.toByteArray();
  }

  @Test
  void headersMayHaveExtraFieldsTextsAndAChecksum() throws IOException {
    assertEquals("oneone", open(memberWithLongHeader(0), memberWithLongHeader(0)));
    assertNoGaps();
  }

  @Test
  void aFileWhoseFirstHeaderIsDamagedIsRefused() {
    CannotGoOn refusal = assertThrows(CannotGoOn.class, () -> open(memberWithLongHeader(1)));
    assertEquals(
        folder.resolve("a.gz") + " is a gzip file whose header is damaged", refusal.message());
  }
}
