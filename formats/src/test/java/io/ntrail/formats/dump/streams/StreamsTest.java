package io.ntrail.formats.dump.streams;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.dump.DumpFlag;
import io.ntrail.formats.dump.DumpStream;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.MiscInfo;
import io.ntrail.formats.dump.StreamType;
import io.ntrail.formats.dump.streams.CrashpadInfo.Annotation;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.dump.SharedDumps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Streams with what others say is in them, and those of which there is no sample. */
class StreamsTest {
  private static Minidump shared(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    return open(SharedDumps.read(name));
  }

  private static Minidump open(byte[] content) {
    return Minidump.open(InputFile.of(content, "a.dmp"), new Gaps());
  }

  @Test
  void threadsHaveNames() throws IOException {
    try (Minidump dump = shared("breakpad/thread_name_list.dmp")) {
      assertEquals(
          Map.of(6564L, "main thread", 8820L, "sleep thread", 10976L, "overflow thread"),
          ThreadNames.of(dump));
    }
  }

  @Test
  void handlesAndMemoryInformationAreCountedAsTheReadmeDoes() throws IOException {
    try (Minidump dump = shared("breakpad/tiny-exe-with-cet-xsave.dmp")) {
      List<HandleInfo> handles = HandleInfo.of(dump);
      assertEquals(147, handles.size());
      assertTrue(handles.stream().anyMatch(handle -> handle.type().equals("File")));
      assertTrue(handles.stream().allMatch(handle -> handle.handle() > 0));
      MemoryInfoList infos = MemoryInfoList.of(dump);
      assertEquals(557, infos.count());
      long end = 0;
      for (int i = 0; i < infos.count(); i++) {
        // Without gaps from the first address to the last: so VirtualQuery goes.
        assertEquals(end, infos.get(i).base());
        end += infos.get(i).size();
      }
      assertEquals(0x7FFF_FFFF_0000L, end);
    }
  }

  @Test
  void anAssertionOfTheRuntimeIsFound() throws IOException {
    try (Minidump dump = shared("rust-minidump/invalid-parameter.dmp")) {
      AssertionInfo info = AssertionInfo.of(dump).orElseThrow();
      assertEquals("format != nullptr", info.expression());
      assertEquals("common_vfprintf", info.function());
      assertEquals("minkernel\\crts\\ucrt\\src\\appcrt\\stdio\\output.cpp", info.file());
      assertEquals(32, info.line());
      assertEquals(1, info.type());
    }
  }

  @Test
  void crashpadAnnotatesProcessAndModules() throws IOException {
    try (Minidump dump = shared("rust-minidump/simple-crashpad.dmp")) {
      CrashpadInfo info = CrashpadInfo.of(dump).orElseThrow();
      assertEquals(List.of(new Annotation("hello", "world")), info.annotations());
      assertEquals("42f9de72-518a-43dd-97d7-8ddc328d3662", info.report().toString());
      assertEquals(List.of(16, 39), info.modules().stream().map(m -> m.module()).toList());
      assertEquals(List.of("abort() called"), info.modules().getFirst().list());
    }
  }

  @Test
  void annotationObjectsOfCrashpadHaveTheirType() {
    MinidumpBuilder writer = new MinidumpBuilder();
    int objects =
        writer.put(
            new LittleEndian()
                .u32(2)
                .u32(writer.utf8("text"))
                .u16(1)
                .u16(0)
                .u32(writer.utf8("value"))
                .u32(writer.utf8("number"))
                .u16(0x8001)
                .u16(0)
                .u32(0)
                .toByteArray());
    byte[] module = new LittleEndian().u32(1).zeros(16).u32(28).u32(objects).toByteArray();
    int place = writer.put(module);
    int modules =
        writer.put(new LittleEndian().u32(1).u32(5).u32(module.length).u32(place).toByteArray());
    byte[] content =
        writer.stream(
                0x4350_0001,
                new LittleEndian().u32(1).zeros(32).zeros(8).u32(16).u32(modules).toByteArray())
            .toByteArray();
    try (Minidump dump = open(content)) {
      CrashpadInfo.ModuleAnnotations found =
          CrashpadInfo.of(dump).orElseThrow().modules().getFirst();
      assertEquals(5, found.module());
      assertEquals(
          List.of(new Annotation("text", "value"), new Annotation("number", "(type 32769)")),
          found.annotations());
    }
  }

  @Test
  void kaskoKnowsWhatAddressSanitizerFound() throws IOException {
    try (Minidump dump = shared("syzygy/use-after-free.dmp")) {
      Map<String, String> keys = KaskoCrashKeys.of(dump);
      assertEquals("heap-use-after-free", keys.get("error-type"));
      assertEquals("read", keys.get("access-mode"));
      assertEquals("quarantined (flooded)", keys.get("block-info.state"));
      // The exception's parameters and its thread say so, too.
      assertEquals("16772", keys.get("block-info.alloc-thread-id"));
      assertTrue(keys.getOrDefault("block-info.free-stack", "").startsWith("0xf4cf661 0xf4c9cbd "));
    }
  }

  @Test
  void breakpadNamesItsOwnThread() throws IOException {
    try (Minidump dump = shared("breakpad/minidump2.dmp")) {
      BreakpadInfo info = BreakpadInfo.of(dump).orElseThrow();
      assertEquals(OptionalLong.of(4544), info.dumpThread());
      assertEquals(OptionalLong.of(3060), info.requestingThread());
    }
  }

  @Test
  void allSizesOfMiscInfoAreRead() throws IOException {
    try (Minidump dump = shared("breakpad/minidump2.dmp")) {
      MiscInfo info = dump.miscInfo().orElseThrow();
      assertEquals(24, info.size());
      assertEquals(OptionalLong.of(3932), info.processId());
      assertEquals("", info.build());
    }
    try (Minidump dump = shared("lldb/sigsegv.dmp")) {
      MiscInfo info = dump.miscInfo().orElseThrow();
      assertEquals(1364, info.size());
      assertEquals("16299.637.amd64fre.rs3_release_svc.180808-1748", info.build());
      assertEquals("dbgcore.amd64,10.0.16299.15", info.debugBuild());
      assertEquals(OptionalLong.of(0x2000), info.integrity());
      assertEquals("Pacific Standard Time", info.timeZone().orElseThrow().standardName());
      assertEquals(480, info.timeZone().orElseThrow().bias());
    }
  }

  @Test
  void aTokenAndMemoryCountersAreRead() throws IOException {
    try (Minidump dump = shared("rizin/calc.dmp")) {
      List<TokenInfo> tokens = TokenInfo.of(dump);
      assertEquals(1, tokens.size());
      assertEquals(3368, tokens.getFirst().owner());
      assertEquals(0x2f8 - 16, tokens.getFirst().data().length());
      assertEquals(4096, SystemMemoryInfo.of(dump).orElseThrow().pageBytes());
      assertEquals(2, SystemMemoryInfo.of(dump).orElseThrow().processors());
      assertEquals(27_271_168, ProcessVmCounters.of(dump).orElseThrow().workingSet());
    }
  }

  @Test
  void threadsOfAFullDumpHaveTimesAndStart() throws IOException {
    try (Minidump dump = shared("lldb/fizzbuzz_no_heap.dmp")) {
      ThreadInfo info = ThreadInfo.of(dump).values().iterator().next();
      assertEquals(8992, info.id());
      assertEquals(0x103, info.exitStatus());
      assertTrue(info.createTime() > 130_000_000_000_000_000L);
      assertEquals(0, info.exitTime());
      assertTrue(info.startAddress() != 0);
    }
  }

  @Test
  void dynamicFunctionTablesHaveTheirEntries() {
    LittleEndian stream = new LittleEndian().u32(24).u32(32).u32(8).u32(12).u32(2).u32(4);
    stream.zeros(4);
    stream.u64(0x1000).u64(0x3000).u64(0x800).u32(2).u32(0).u64(0x1234);
    stream.u32(0x800).u32(0x900).u32(0xA00).u32(0x900).u32(0x980).u32(0xA10);
    stream.u64(0x5000).u64(0x6000).u64(0x5000).u32(1).u32(0).u64(0x5678);
    stream.u32(0x10).u32(0x20).u32(0x30);
    byte[] content = new MinidumpBuilder().stream(13, stream.toByteArray()).toByteArray();
    try (Minidump dump = open(content)) {
      List<DynamicFunctionTable> tables = DynamicFunctionTable.of(dump);
      assertEquals(2, tables.size());
      DynamicFunctionTable first = tables.getFirst();
      assertEquals(0x1000, first.minimum());
      assertEquals(0x3000, first.maximum());
      assertEquals(0x800, first.base());
      assertEquals(2, first.count());
      assertEquals(0xA10, first.entries().u32(20));
      assertEquals(0x1234, first.nativeDescriptor().i64(0));
      assertEquals(0x30, tables.getLast().entries().u32(8));
      assertEquals(List.of(), dump.gaps());
    }
  }

  @Test
  void operationsOnHandlesHaveTheirStack() {
    LittleEndian stream = new LittleEndian().u32(16).u32(32 + 16 * 8).u32(1).u32(0);
    stream.u64(0x44).u32(11).u32(22).u32(2).u32(0).u64(0);
    stream.u64(0x7FF1).u64(0x7FF2).zeros(14 * 8);
    byte[] content = new MinidumpBuilder().stream(18, stream.toByteArray()).toByteArray();
    try (Minidump dump = open(content)) {
      assertEquals(
          List.of(new HandleOperation(0x44, 11, 22, 2, List.of(0x7FF1L, 0x7FF2L))),
          HandleOperation.of(dump));
    }
  }

  @Test
  void commentsAreTextsOfEitherWidth() {
    byte[] content =
        new MinidumpBuilder()
            .stream(10, "*** procdump -ma".getBytes(StandardCharsets.ISO_8859_1)).stream(
                    11, "caf\u00E9\0x".getBytes(StandardCharsets.UTF_16LE))
                .toByteArray();
    try (Minidump dump = open(content)) {
      assertEquals(List.of("*** procdump -ma", "caf\u00E9"), DumpTexts.comments(dump));
    }
  }

  @Test
  void processorTraceIsGivenAsItIs() {
    byte[] trace = {1, 2, 3, 4, 5};
    byte[] content = new MinidumpBuilder().flags(0x40_0000).stream(23, trace).toByteArray();
    try (Minidump dump = open(content)) {
      DumpStream stream = dump.stream(StreamType.IPT_TRACE).orElseThrow();
      assertEquals(5, dump.reader().bytes(stream).length());
      assertEquals(5, dump.reader().bytes(stream).u8(4));
      assertEquals(List.of(DumpFlag.IPT_TRACE), DumpFlag.of(dump.header().flags()));
    }
  }

  @Test
  void unknownStreamsAreListedByNumberAndSize() {
    byte[] content =
        new MinidumpBuilder().stream(0, new byte[4]).stream(0x1234, new byte[7]).toByteArray();
    try (Minidump dump = open(content)) {
      assertEquals(1, dump.streams().size());
      assertEquals("stream 0x1234", dump.streams().getFirst().title());
      assertEquals(7, dump.streams().getFirst().size());
    }
  }
}
