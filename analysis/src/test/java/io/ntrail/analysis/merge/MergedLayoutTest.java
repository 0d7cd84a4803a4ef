package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.WrittenLayout.Buffer;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.programs.symbols.SymbolPath;
import io.ntrail.programs.symbols.SymbolStores;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import io.ntrail.testkit.pe.SmallPe;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bytes of merged files beside those that mergers and the relog interface of Windows have written:
 * where one of their files is merged once more, each difference is one of a list, with its reason.
 */
class MergedLayoutTest {
  private static final int HEADER = WrittenLayout.HEADER;
  private static final int RECORD = 32;
  private static final UUID IMAGE_ID = UUID.fromString("b3e675d7-2554-4f18-830b-2762732560de");

  /** Merged on Windows 8 and later. */
  private static final List<String> MERGED =
      List.of(
          "diaghub",
          "sonde-test",
          "etwanalyzer-TraceLoggingTester",
          "demikernel-PktMon",
          "perfview-SelfDescribingSingleEvent",
          "perfview-net452-x64");

  private static final List<String> MERGED_BY_WINDOWS_7 =
      List.of("pyetw-out", "perfview-net45-x86-win7");

  private static final List<String> RELOGGED =
      List.of("diaghub.kernel.1", "diaghub.user_injected.1", "perfview-smallEtlFile-32bit");

  @TempDir private Path folder;

  /** Returns the buffers, in the order in which they were handed out. */
  private static List<Buffer> buffers(byte[] file) {
    return WrittenLayout.buffers(file).stream()
        .sorted(Comparator.comparingLong(one -> LittleEndian.getU32(one.header(), 0x18)))
        .toList();
  }

  private byte[] merged(byte[] file) throws IOException {
    Path to = folder.resolve("merged.etl");
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(file, "in.etl")));
        SeekableByteChannel channel =
            Files.newByteChannel(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      RecordingMerge.write(
          recording,
          channel,
          RecordingMerge.isCompressed(recording),
          List.of(),
          MachineRecords.without(""));
    }
    byte[] bytes = Files.readAllBytes(to);
    Files.delete(to);
    return bytes;
  }

  private void compare(List<String> names, int mode, Set<String> ofHeader) throws IOException {
    for (String name : names) {
      byte[] theirs = TestData.gunzip("etl/" + name + ".etl.gz");
      byte[] ours = merged(theirs);
      int recordSize = LittleEndian.getU16(theirs, HEADER + 4);
      byte[] record = Arrays.copyOfRange(theirs, HEADER, HEADER + recordSize);
      boolean isCompressed = (LittleEndian.getU32(record, RECORD + 32) & 0x4000000) != 0;
      LittleEndian.putU32(record, RECORD + 32, mode | (isCompressed ? 0x4000000 : 0));
      assertArrayEquals(record, Arrays.copyOfRange(ours, HEADER, HEADER + recordSize), name);
      List<Buffer> before = buffers(theirs);
      List<Buffer> after = buffers(ours);
      assertEquals(before.size(), after.size(), name);
      assertEquals(
          ofHeader,
          WrittenLayout.differences(before.getFirst().header(), after.getFirst().header()),
          name);
      assertEquals(behindTheFirst(before.getFirst()), behindTheFirst(after.getFirst()), name);
      for (int i = 1; i < before.size(); i++) {
        Set<String> differ =
            WrittenLayout.differences(before.get(i).header(), after.get(i).header());
        // Where a live buffer was written to next, after a record that did not fit as well.
        differ.remove("CurrentOffset");
        // Another compressor finds other matches.
        if (after.get(i).isCompressed()) {
          differ.remove("BufferSize");
        }
        assertEquals(Set.of(), differ, name + ", buffer " + i);
        assertEquals(before.get(i).unpadded(), after.get(i).unpadded(), name + ", buffer " + i);
      }
    }
  }

  private static List<String> behindTheFirst(Buffer one) {
    return one.unpadded().subList(1, one.unpadded().size());
  }

  @Test
  void filesOfWindowsMergersHaveTheSameBytesAfterwards() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    compare(MERGED, 0x10001, Set.of());
    // Its header buffer ends without padding, and does not say where its first record ends.
    compare(MERGED_BY_WINDOWS_7, 0x10001, Set.of("SavedOffset", "Offset"));
  }

  @Test
  void filesOfTheRelogInterfaceDifferInTheBitThatSaysSo() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    // EVENT_TRACE_ADD_HEADER_MODE, 0x1000: of whoever uses ITraceRelogger.
    compare(RELOGGED, 0x10001, Set.of());
  }

  /**
   * An image with the stamp, the size and the PDB of a recorded one.
   *
   * @param pdb GUID and age
   */
  private static byte[] image(int stamp, int size, byte[] pdb, String pdbName) {
    SmallPe pe = new SmallPe(0x8664);
    long rva = pe.next();
    LittleEndian rsds = new LittleEndian().u32(0x53445352).bytes(pdb).utf8z(pdbName);
    LittleEndian debug = new LittleEndian().u32(0).u32(stamp).u32(0).u32(2).u32(rsds.size());
    debug.u32(rva + 28).u32(0).bytes(rsds.toByteArray());
    pe.section(".rdata", SmallPe.CONSTANTS, debug.toByteArray());
    byte[] file = pe.directory(6, rva, 28).file();
    LittleEndian.putU32(file, (int) pe.headers() + 24, pe.headers() + 28);
    LittleEndian.putU32(file, 0x40 + 8, stamp);
    LittleEndian.putU32(file, 0x40 + 0x50, size);
    return file;
  }

  @Test
  void identitiesOfImagesHaveTheBytesThatWindowsWrites() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] classGuid = new LittleEndian().guid(IMAGE_ID).toByteArray();
    List<byte[]> real =
        buffers(TestData.gunzip("etl/perfview-net452-x64.etl.gz")).stream()
            .flatMap(buffer -> buffer.unpadded().stream())
            .filter(record -> record.startsWith("14c0", 4))
            .map(HexFormat.of()::parseHex)
            .filter(record -> Arrays.equals(classGuid, Arrays.copyOfRange(record, 24, 40)))
            .toList();
    int compared = 0;
    for (int i = 0; i + 1 < real.size() && compared < 40; i++) {
      if (real.get(i)[4] == 0 && real.get(i + 1)[4] == 36 && hasNoThread(real.get(i))) {
        compareImage(real.get(i), real.get(i + 1));
        compared++;
      }
    }
    assertEquals(40, compared);
  }

  /** Rundown records name no thread, and so do what a merge adds to them. */
  private static boolean hasNoThread(byte[] record) {
    return LittleEndian.getU32(record, 8) == 0xFFFF_FFFFL;
  }

  private void compareImage(byte[] info, byte[] rsds) throws IOException {
    int payload = 48;
    long base = LittleEndian.getU64(info, payload);
    int size = (int) LittleEndian.getU32(info, payload + 8);
    int stamp = (int) LittleEndian.getU32(info, payload + 20);
    String name = text(info, payload + 24, 2, StandardCharsets.UTF_16LE);
    Path images = Files.createDirectories(folder.resolve("images"));
    Files.write(
        images.resolve(name),
        image(
            stamp,
            size,
            Arrays.copyOfRange(rsds, 60, 80),
            text(rsds, 80, 1, StandardCharsets.UTF_8)));
    EtlWriter writer = new EtlWriter(EtlSettings.windows11());
    int process = (int) LittleEndian.getU32(info, 12);
    writer.log(
        0,
        EtlRecords.perfInfo(8, 0x1403)
            .version(3)
            .time(LittleEndian.getU64(info, 16))
            .payload(
                KernelPayloads.image(base, size, process, 0, stamp, "\\Windows\\System32\\" + name))
            .build());
    SymbolPath.Host host = SymbolPath.Host.here();
    SymbolPath path =
        new SymbolPath(List.of(new SymbolPath.Folder(images)), List.of(), host.home());
    try (EtwRecording recording =
        EtwRecording.of(List.of(InputFile.of(writer.toByteArray(), "in.etl")))) {
      Events events =
          Events.of(recording, new SchemaSources(UserSchemas.NONE), 1, Events.Learn.ADDRESSES);
      List<String> added =
          ImageIdentities.of(events, SymbolStores.of(path, host), Optional.empty())
              .records()
              .stream()
              .map(one -> HexFormat.of().formatHex(one.bytes()))
              .toList();
      assertEquals(List.of(padded(info), padded(rsds)), added, name);
    }
  }

  private static String text(byte[] record, int at, int nul, Charset charset) {
    return new String(record, at, record.length - at - nul, charset);
  }

  private static String padded(byte[] record) {
    return HexFormat.of().formatHex(Arrays.copyOf(record, record.length + 7 & ~7));
  }
}
