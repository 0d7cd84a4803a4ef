package io.ntrail.analysis.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.WrittenLayout.Piece;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.described.EncodedValue;
import io.ntrail.testkit.described.TraceLoggingEvent;
import io.ntrail.testkit.etl.DescribedRecords;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each byte of a recording that is written is what it has to be, and none of them could be another
 * one without a finding.
 */
class WrittenBytesTest {
  private static final UUID SHOP = UUID.fromString("5f8b1c1e-5a5e-4d6c-8f43-8a2f7d0c1b11");
  private static final UUID NTRAIL = UUID.fromString("e147b84d-c85f-54a5-6295-fa68dbe10dc5");
  private static final int BUFFER = 1 << 10;
  private static final int KERNEL = 0x02;
  private static final int USER = 0x1D;

  /** Relogged, sequential; and compressed. */
  private static final int MODE = 0x10001;

  private static final int COMPRESSED_MODE = 0x400_0000;

  /** Bits that are changed in a byte, one set of them after the other. */
  private static final int[] CHANGES = {0x01, 0x08, 0x80, 0xFF};

  private static final EtlSettings CLOCK = EtlSettings.windows11();

  @TempDir private Path folder;

  /** Time of the event of a number. */
  private static long time(int number) {
    return CLOCK.startTicks() + 1_000L * (number + 1);
  }

  private static EtlRecord event(int number) {
    return EtlRecords.event(8, SHOP, 1)
        .time(time(number))
        .thread(40, 44)
        // Not a multiple of 8, and something that can be compressed.
        .payload(new LittleEndian().u32(number).utf16z("sold ".repeat(6)).u8(number).toByteArray())
        .build();
  }

  private static EtlSettings settings(String name, int logger, int processors) {
    return EtlSettings.windows11()
        .bufferSize(BUFFER)
        .names(name, "C:\\" + name + ".etl")
        .headerLogger(logger)
        .processors(processors);
  }

  /** Returns the file with something in each field of its buffers that is copied. */
  private static byte[] marked(EtlWriter writer) {
    byte[] file = writer.toByteArray();
    int number = 0;
    for (long place : writer.bufferOffsets()) {
      int at = (int) place;
      LittleEndian.putU64(file, at + 0x20, 0x0102_0304_0506_0708L + number);
      LittleEndian.putU64(file, at + 0x38, 0x1112_1314_1516_1718L + number);
      LittleEndian.putU64(file, at + 0x40, 0x2122_2324_2526_2728L + number);
      number++;
    }
    return file;
  }

  private static EtlRecord masks() {
    return EtlRecords.system(8, 0x0005)
        .version(2)
        .time(CLOCK.startTicks())
        .thread(4, 8)
        .payload(new LittleEndian().u32(0x471F).u32(2).u32(7))
        .build();
  }

  /** Records of two processors; before the second buffer of one of them, something was lost. */
  private static byte[] kernel() {
    return marked(
        new EtlWriter(settings("kernel", KERNEL, 2).lost(3, 1))
            .headerRecords(masks())
            .buffer(EtlBuffer.of(0, KERNEL, 1).add(event(0), event(2)).timeStamp(time(2) + 5))
            .buffer(
                EtlBuffer.of(1, KERNEL, 2)
                    .add(event(1), event(3), event(4), event(6))
                    .flags(EtlBuffer.FLAG_FLUSH_MARKER))
            .buffer(
                EtlBuffer.of(0, KERNEL, 3)
                    .add(event(5), event(7), event(8))
                    .flags(EtlBuffer.FLAG_EVENTS_LOST))
            .buffer(EtlBuffer.of(1, KERNEL, 4).add(event(9), event(11))));
  }

  private static byte[] user() {
    return marked(
        new EtlWriter(settings("user", USER, 4).lost(2, 0).endTime(CLOCK.startTime() + 99_999))
            .headerRecords(masks())
            .buffer(
                EtlBuffer.of(3, USER, 1)
                    .add(event(20), event(21))
                    .flags(EtlBuffer.FLAG_BUFFER_LOST))
            .buffer(EtlBuffer.of(0, USER, 2).add(event(22))));
  }

  private static Map<Integer, byte[]> header(
      boolean isCompressed, long end, int processors, int events, int buffers) {
    Map<Integer, byte[]> header = new LinkedHashMap<>();
    if (isCompressed) {
      // Log format 2.0 instead of 1.5.
      header.put(6, new byte[] {2, 0});
    }
    header.put(12, new LittleEndian().u32(processors).toByteArray());
    header.put(16, new LittleEndian().u64(end).toByteArray());
    int mode = isCompressed ? MODE | COMPRESSED_MODE : MODE;
    header.put(32, new LittleEndian().u32(mode).toByteArray());
    header.put(48, new LittleEndian().u32(events).toByteArray());
    header.put(276, new LittleEndian().u32(buffers).toByteArray());
    return header;
  }

  private static long end(int last) {
    return CLOCK.startTime() + time(last) - CLOCK.startTicks();
  }

  private static String hex(EtlRecord record) {
    return HexFormat.of()
        .formatHex(new LittleEndian().bytes(record.bytes()).align(8).toByteArray());
  }

  /** An event that the new file tells something with: testkit's own of that kind. */
  private static Piece told(TraceLoggingEvent event) {
    EtlRecord record =
        DescribedRecords.traceLogging(8, NTRAIL, "ntrail", event)
            .level(3)
            .descriptor(11, 0, 0)
            .flags(0x40)
            .time(CLOCK.startTicks())
            .thread(0xFFFF_FFFFL, 0xFFFF_FFFFL)
            .build();
    return new Piece(new byte[WrittenLayout.HEADER], false, hex(record));
  }

  private static List<Piece> pieces(byte[] file, int... buffers) {
    List<WrittenLayout.Buffer> all = WrittenLayout.buffers(file);
    List<Piece> pieces = new ArrayList<>();
    for (int buffer : buffers) {
      pieces.addAll(all.get(buffer).pieces());
    }
    return pieces;
  }

  private interface Writing {
    void to(SeekableByteChannel channel, EtwRecording recording) throws IOException;
  }

  private byte[] written(List<byte[]> files, Writing writing) throws IOException {
    List<InputFile> inputs = new ArrayList<>();
    for (byte[] file : files) {
      inputs.add(InputFile.of(file, "in" + inputs.size() + ".etl"));
    }
    Path to = folder.resolve("out.etl");
    try (EtwRecording recording = EtwRecording.of(inputs);
        SeekableByteChannel channel =
            Files.newByteChannel(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      writing.to(channel, recording);
    }
    return Files.readAllBytes(to);
  }

  /**
   * Checks that a file is as it has to be, and that no byte of it could be another, but for those
   * of compressed data: there other matches may mean the same records.
   */
  private static void check(WrittenLayout layout, byte[] file) {
    assertEquals(List.of(), layout.findings(file));
    List<WrittenLayout.Buffer> buffers = WrittenLayout.buffers(file);
    List<String> unnoticed = new ArrayList<>();
    int sameMeaning = 0;
    int encoded = 0;
    byte[] broken = file.clone();
    for (int at = 0; at < file.length; at++) {
      boolean isEncoded = WrittenLayout.isEncoded(buffers, at);
      encoded += isEncoded ? CHANGES.length : 0;
      for (int change : CHANGES) {
        broken[at] = (byte) (file[at] ^ change);
        if (layout.findings(broken).isEmpty()) {
          sameMeaning += isEncoded ? 1 : 0;
          if (!isEncoded) {
            unnoticed.add("byte 0x%x with 0x%02x".formatted(at, broken[at]));
          }
        }
      }
      broken[at] = file[at];
    }
    assertEquals(List.of(), unnoticed);
    assertTrue(sameMeaning <= encoded / 20, sameMeaning + " of " + encoded);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noByteOfAMergedFileCouldBeAnotherOne(boolean isCompressed) throws IOException {
    byte[] kernel = kernel();
    byte[] user = user();
    byte[] file =
        written(
            List.of(kernel, user),
            (to, recording) ->
                RecordingMerge.write(
                    recording, to, isCompressed, List.of(), MachineRecords.without("")));
    // What a further file has behind its header record is in a data buffer.
    byte[] ofUser = WrittenLayout.buffers(user).getFirst().header().clone();
    LittleEndian.putU32(ofUser, 0x2C, 3);
    LittleEndian.putU16(ofUser, 0x36, 0);
    List<Piece> first = new ArrayList<>(List.of(new Piece(ofUser, false, hex(masks()))));
    first.addAll(pieces(user, 2));
    Map<String, List<Piece>> streams =
        Map.of(
            "0/2", pieces(kernel, 1, 3),
            "1/2", pieces(kernel, 2, 4),
            "3/29", pieces(user, 1),
            "0/29", first);
    check(
        new WrittenLayout(
            kernel,
            BUFFER,
            isCompressed,
            header(isCompressed, CLOCK.startTime() + 99_999, 4, 5, 1),
            List.of("kernel + user", "[multiple files]"),
            streams),
        file);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noByteOfACutCouldBeAnotherOne(boolean isCompressed) throws IOException {
    byte[] kernel = kernel();
    RecordingCut.Request request =
        new RecordingCut.Request(
            100 * (time(3) - CLOCK.startTicks()),
            100 * (time(8) - CLOCK.startTicks()),
            new EventFilter.Builder().build(),
            1,
            "--time 0.4ms..0.9ms");
    byte[] file =
        written(
            List.of(kernel),
            (to, recording) -> {
              Events events =
                  Events.of(
                      recording, new SchemaSources(UserSchemas.NONE), 1, Events.Learn.SWITCHES);
              RecordingCut.write(events, request, to, isCompressed, RecordRewriter.NONE);
            });
    // The first and the last event of the recording, and 3 to 7; each buffer of the new file is as
    // that of its first record, and the loss is before what follows it.
    List<Piece> zero = pieces(kernel, 1, 3);
    List<Piece> one = pieces(kernel, 2, 4);
    TraceLoggingEvent cut =
        new TraceLoggingEvent("Cut")
            .field("What", 2, 35, EncodedValue.narrow("records other than --time 0.4ms..0.9ms"))
            .field("Records", 9, 0, EncodedValue.signed(8, 4));
    check(
        new WrittenLayout(
            kernel,
            BUFFER,
            isCompressed,
            header(isCompressed, end(11), 2, 3, 1),
            List.of("kernel", "C:\\kernel.etl"),
            Map.of(
                "0/2", List.of(zero.get(0), zero.get(2), zero.get(3)),
                "1/2", List.of(one.get(1), one.get(2), one.get(3), one.get(5)),
                "0/0", List.of(told(cut)))),
        file);
  }

  @Test
  void noByteOfAToldGapCouldBeAnotherOne() throws IOException {
    byte[] kernel = kernel();
    List<WrittenLayout.Buffer> buffers = WrittenLayout.buffers(kernel);
    byte[] damaged = kernel.clone();
    // A record has the size 0; the rest of its buffer cannot be read.
    int at = buffers.get(2).place() + WrittenLayout.HEADER + hex(event(1)).length() / 2;
    LittleEndian.putU16(damaged, at, 0);
    List<Gap> gaps = new ArrayList<>();
    byte[] file =
        written(
            List.of(damaged),
            (to, recording) ->
                gaps.addAll(
                    RecordingMerge.write(
                            recording, to, false, List.of(), MachineRecords.without(""))
                        .gaps()));
    assertEquals(1, gaps.size());
    Gap gap = gaps.getFirst();
    assertEquals(at, gap.offset());
    assertTrue(gap.bytes() >= 3L * hex(event(1)).length() / 2);
    List<Piece> one = pieces(kernel, 2, 4);
    TraceLoggingEvent told =
        new TraceLoggingEvent("Gap")
            .field("File", 2, 35, EncodedValue.narrow("in0.etl"))
            .field("Offset", 10, 0, EncodedValue.unsigned(8, at))
            .field("Bytes", 9, 0, EncodedValue.signed(8, gap.bytes()))
            .field("What", 2, 35, EncodedValue.narrow(gap.what()))
            .field("Why", 2, 35, EncodedValue.narrow(gap.why()));
    check(
        new WrittenLayout(
            kernel,
            BUFFER,
            false,
            header(false, end(11), 2, 3, 1),
            List.of("kernel", "C:\\kernel.etl"),
            Map.of(
                "0/2", pieces(kernel, 1, 3),
                "1/2", List.of(one.get(0), one.get(4), one.get(5)),
                "0/0", List.of(told(told)))),
        file);
  }
}
