package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.cli.harness.SamplePt;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.etl.ProcessorTraceEvents;
import io.ntrail.testkit.pt.PtPackets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processor Trace in minidumps: stream 23, with the code in the dump's memory. */
class PtDumpTest {
  private static final int IPT_TRACE = 23;
  private static final long WITH_IPT = 0x40_0000;
  private static final int AMD64 = 9;

  @TempDir private Path folder;

  /** A ring that wrapped: its older part is behind the place of the next packet. */
  private static byte[] wrapped(byte[] stream, int start) {
    byte[] ring = new byte[4096];
    for (int i = 0; i < stream.length; i++) {
      ring[(start + i) % ring.length] = stream[i];
    }
    return ring;
  }

  private static MinidumpBuilder dump() {
    return new MinidumpBuilder().flags(WITH_IPT).system(AMD64, 10, 0, 26100).process(77);
  }

  private Path write(MinidumpBuilder dump) throws IOException {
    return Files.write(folder.resolve("crash.dmp"), dump.toByteArray());
  }

  /** Two threads; the one that is traced through {@link SamplePt#code} wrapped. */
  private Path threads() throws IOException {
    PtPackets other = new PtPackets(false).psb().psbEnd().mtc(5);
    byte[] stream = SamplePt.loop();
    byte[] traces =
        ProcessorTraceEvents.file(
            ProcessorTraceEvents.thread(
                4008, 0, 0, 0, 4090 + stream.length - 4096, wrapped(stream, 4090)),
            ProcessorTraceEvents.thread(
                4012, 1, 3, 84, other.size(), Arrays.copyOf(other.toByteArray(), 4096)),
            ProcessorTraceEvents.thread(4016, 1, 3, 84, 0, new byte[4096]));
    return write(dump().memory(0x401000, SamplePt.code()).stream(IPT_TRACE, traces));
  }

  @Test
  void theFlowOfAThreadRunsThroughTheMemoryOfTheDump() throws IOException {
    Cli.Result result = Cli.run("pt", "flow", threads(), "-t", "4008", "--addresses");
    assertEquals(0, result.exit(), result.err());
    assertEquals(List.of("0000000000401000", "0000000000401002"), result.lines());
  }

  @Test
  void filesOfCodeComeBeforeTheDump() throws IOException {
    // A NOP in front: the jump is not where the trace says that it is.
    Path other = Files.write(folder.resolve("other.bin"), SamplePt.bytes("90909090"));
    Cli.Result result =
        Cli.run(
            "pt", "flow", threads(), "-t", "4008", "--code", other + "@0x401000", "--addresses");
    assertTrue(result.out().startsWith("0000000000401000\n0000000000401001\n"), result.out());
  }

  @Test
  void packetsOfAThreadAreListed() throws IOException {
    Path file = threads();
    Cli.Result result = Cli.run("pt", "packets", file, "-t", "4012");
    assertEquals(0, result.exit(), result.err());
    assertTrue(
        result.out().startsWith(file + " (IptTraceStream) (thread 4012): 4 KiB"), result.out());
    assertTrue(result.out().contains("MTC"), result.out());
    String asked = Cli.run("pt", "packets", file).err();
    assertTrue(asked.contains("has traces of 3 threads: 4008, 4012, 4016"), asked);
    String none = Cli.run("pt", "packets", file, "-t", "4016").err();
    assertTrue(none.contains("(thread 4016) has no PSB"), none);
  }

  @Test
  void aStreamWithoutHeadersIsOne() throws IOException {
    Path file = write(dump().memory(0x401000, SamplePt.code()).stream(IPT_TRACE, SamplePt.loop()));
    Cli.Result result = Cli.run("pt", "flow", file, "--addresses");
    assertEquals(0, result.exit(), result.err());
    assertEquals(List.of("0000000000401000", "0000000000401002"), result.lines());
    String text = Cli.run("info", file).out();
    assertTrue(text.contains("  traces     Processor Trace, 34 bytes (ntrail pt"), text);
  }

  @Test
  void codeThatIsNotInTheDumpIsTold() throws IOException {
    Path file = write(dump().memory(0x500000, new byte[16]).stream(IPT_TRACE, SamplePt.loop()));
    Cli.Result result = Cli.run("pt", "flow", file, "--instructions");
    assertEquals(3, result.exit());
    assertTrue(
        result.out().contains("0x401000          ERROR at offset 0x1b: no code at this address"),
        result.out());
  }

  /** StockMatch calls StockSize, and is left behind a branch. */
  private static byte[] match(long base) {
    return new PtPackets(false)
        .psb()
        .mode(64)
        .ip(PtPackets.FUP, base + 0x1070)
        .psbEnd()
        .tnt(0b11, 2)
        .ip(PtPackets.FUP, base + 0x1097)
        .noIp(PtPackets.PGD)
        .toByteArray();
  }

  @Test
  void codeThatWasNotSavedComesFromFilesWithTheIdentityOfTheModule() throws IOException {
    byte[] library = SampleImage.make();
    Files.write(folder.resolve("shopcore.dll"), library);
    int header = (int) LittleEndian.getU32(library, 0x3C);
    long stamp = LittleEndian.getU32(library, header + 8);
    long size = LittleEndian.getU32(library, header + 24 + 56);
    long base = 0x7FF8_1000_0000L;
    Path file =
        write(
            dump().module(base, size, stamp, "C:\\shop\\shopcore.dll").stream(
                IPT_TRACE, match(base)));
    Cli.Result result = Cli.run("pt", "flow", file, "--image-path", folder, "--addresses");
    assertEquals(0, result.exit(), result.err());
    List<String> ran = new ArrayList<>();
    for (int rva :
        List.of(
            0x1070, 0x1075, 0x1076, 0x107A, 0x107D, 0x1020, 0x1024, 0x1028, 0x102C, 0x1082, 0x1085,
            0x1088, 0x1092)) {
      ran.add("%016x".formatted(base + rva));
    }
    assertEquals(ran, result.lines());
    String calls = Cli.run("pt", "flow", file, "--image-path", folder, "--calls").out();
    assertTrue(calls.contains("shopcore.dll!StockMatch"), calls);
    assertTrue(calls.contains("shopcore.dll!StockSize"), calls);
    assertEquals(3, Cli.run("pt", "flow", file, "--addresses").exit());
  }

  @Test
  void filesOfAnotherBuildAreNotTaken() throws IOException {
    Files.write(folder.resolve("shopcore.dll"), SampleImage.make());
    long base = 0x7FF8_1000_0000L;
    Path file =
        write(
            dump().module(base, 0x9000, 0x1234_5678L, "C:\\shop\\shopcore.dll").stream(
                IPT_TRACE, match(base)));
    Cli.Result result = Cli.run("pt", "flow", file, "--image-path", folder, "--addresses");
    assertEquals(3, result.exit());
    assertEquals(List.of(), result.lines());
  }

  @Test
  void foldersOfImagesAreForDumpsAndRecordings() throws IOException {
    Path stream = Files.write(folder.resolve("trace.pt"), SamplePt.loop());
    Cli.Result result = Cli.run("pt", "flow", stream, "--image-path", folder);
    assertEquals(2, result.exit());
    assertTrue(result.err().contains("--image-path is of recordings"), result.err());
  }

  @Test
  void infoTellsTheTraces() throws IOException {
    Path file = threads();
    String text = Cli.run("info", file).out();
    assertTrue(
        text.contains("  traces     Processor Trace of 3 threads, 12.1 KiB, 1 without PSB cannot"),
        text);
    JsonReader json = Cli.run("info", file, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("info").definition("dump").findings(json));
    List<JsonReader> traces = json.get("processorTrace").get("traces").array();
    assertEquals(
        List.of(4008L, 4012L, 4016L),
        traces.stream().map(trace -> trace.get("tid").number()).toList());
    assertEquals(
        List.of("none", "mtc", "none"),
        traces.stream().map(trace -> trace.get("timing").text()).toList());
  }

  @Test
  void aDumpWithoutTraceIsRefused() throws IOException {
    Cli.Result result = Cli.run("pt", "flow", write(dump()));
    assertEquals(1, result.exit());
    assertTrue(result.err().contains("has no Processor Trace"), result.err());
    assertTrue(result.err().contains("try: ntrail stacks "), result.err());
  }

  @Test
  void aStreamThatIsCutIsAGap() throws IOException {
    byte[] ring = wrapped(SamplePt.loop(), 0);
    byte[] whole =
        ProcessorTraceEvents.file(
            ProcessorTraceEvents.thread(4008, 0, 0, 0, SamplePt.loop().length, ring));
    Path file =
        write(
            dump().memory(0x401000, SamplePt.code()).stream(
                IPT_TRACE, Arrays.copyOf(whole, whole.length - 100)));
    Cli.Result info = Cli.run("info", file);
    assertEquals(3, info.exit(), info.err());
    assertTrue(info.err().contains("bytes are there"), info.err());
    Cli.Result flow = Cli.run("pt", "flow", file, "--addresses");
    assertEquals(3, flow.exit());
    assertEquals(List.of("0000000000401000", "0000000000401002"), flow.lines());
  }
}
