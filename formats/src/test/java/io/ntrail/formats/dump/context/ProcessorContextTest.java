package io.ntrail.formats.dump.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.dump.DumpThread;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.dump.SharedDumps;
import java.io.IOException;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Registers as other tools print them. */
class ProcessorContextTest {
  private static ProcessorContext read(byte[] bytes, ProcessorArchitecture architecture) {
    return ProcessorContext.read(Bytes.copyOf(bytes, "a"), architecture).orElseThrow();
  }

  /** The values that rust-minidump prints of this dump. */
  @Test
  void registersOfX86AreThoseOfRustMinidump() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] content = SharedDumps.read("rust-minidump/test.dmp");
    try (Minidump dump = Minidump.open(InputFile.of(content, "a.dmp"), new Gaps())) {
      ProcessorContext context =
          dump.context(dump.exception().orElseThrow().context()).orElseThrow();
      assertEquals(ContextKind.X86, context.kind());
      Map<String, Long> registers =
          context.registers().stream()
              .collect(Collectors.toMap(ContextRegister::name, ContextRegister::value));
      assertEquals(0x45L, registers.get("eax"));
      assertEquals(0x0012fe88L, registers.get("ebp"));
      assertEquals(0x7c80abc1L, registers.get("ebx"));
      assertEquals(0x0012fe94L, registers.get("ecx"));
      assertEquals(0xa28L, registers.get("edi"));
      assertEquals(0x0042bc58L, registers.get("edx"));
      assertEquals(0x10246L, registers.get("eflags"));
      assertEquals(0x0040429eL, registers.get("eip"));
      assertEquals(2L, registers.get("esi"));
      assertEquals(0x0012fe84L, registers.get("esp"));
      assertEquals(OptionalLong.of(0x0012fe84), context.general(4));
    }
  }

  @Test
  void theShadowStackIsFoundInCompactedState() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] content = SharedDumps.read("breakpad/tiny-exe-with-cet-xsave.dmp");
    try (Minidump dump = Minidump.open(InputFile.of(content, "a.dmp"), new Gaps())) {
      DumpThread thread = dump.threads().getFirst();
      ProcessorContext context = dump.context(thread.context()).orElseThrow();
      assertEquals(1407, thread.context().size());
      ShadowStack stack = context.shadowStack(dump.xstate()).orElseThrow();
      assertEquals(0xCBC83FEFC8L, stack.pointer());
      assertTrue(stack.isEnabled());
    }
  }

  @Test
  void stateThatIsInitialIsNotThere() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] content = SharedDumps.read("breakpad/tiny-exe-with-cet-xsave-x86.dmp");
    try (Minidump dump = Minidump.open(InputFile.of(content, "a.dmp"), new Gaps())) {
      for (DumpThread thread : dump.threads()) {
        ProcessorContext context = dump.context(thread.context()).orElseThrow();
        ExtendedState state = context.extended().orElseThrow();
        assertEquals(0x8000_0000_0000_0804L, state.compaction());
        assertTrue(state.isCompacted());
        assertEquals(336, state.area().length());
        assertFalse(context.shadowStack(dump.xstate()).isPresent());
      }
    }
  }

  @Test
  void componentsOfStandardAreasAreWhereTheTableSays() {
    LittleEndian table = new LittleEndian().u64(0x804);
    for (int feature = 0; feature < 64; feature++) {
      table.u32(feature == 11 ? 832 : feature == 2 ? 576 : 0).u32(feature == 11 ? 16 : 0);
    }
    XStateLayout layout = XStateLayout.read(Bytes.copyOf(table.toByteArray(), "a"), 0);
    LittleEndian area = new LittleEndian().u64(0x804).u64(0).zeros(48).zeros(256);
    area.u64(1).u64(0x7777);
    ExtendedState state = new ExtendedState(0x804, 0, Bytes.copyOf(area.toByteArray(), "a"));
    assertEquals(0x7777, state.component(11, layout).orElseThrow().i64(8));
    assertEquals(256, state.component(2, layout).orElseThrow().length());
    assertFalse(state.component(12, layout).isPresent());
  }

  @Test
  void generalAndVectorRegistersOfX64HaveTheirNumbers() {
    byte[] bytes = MinidumpBuilder.x64(0x7FF6_0000_1234L, 10, 11, 12, 13, 14, 15, 16, 17, 18);
    LittleEndian.putU32(bytes, 0x30, 0x10001F);
    LittleEndian.putU64(bytes, 0x1A0, 0x1111);
    LittleEndian.putU64(bytes, 0x290 + 8, 0x2222);
    ProcessorContext context = read(bytes, ProcessorArchitecture.X64);
    assertEquals(OptionalLong.of(0x7FF6_0000_1234L), context.ip());
    assertEquals(OptionalLong.of(14), context.sp());
    for (int number = 0; number < 9; number++) {
      assertEquals(OptionalLong.of(10 + number), context.general(number));
    }
    assertEquals(OptionalLong.of(13), context.register("rbx"));
    assertTrue(context.hasVectors());
    assertEquals(0x1111, context.vectorLow(0));
    assertEquals(0x2222, context.vectorHigh(15));
  }

  @Test
  void registersThatWereNotSavedAreUnknown() {
    byte[] bytes = MinidumpBuilder.x86(0x401000, 0x12F000, 0x12F100);
    LittleEndian.putU32(bytes, 0, 0x1_0001);
    ProcessorContext context = read(bytes, ProcessorArchitecture.X86);
    assertEquals(OptionalLong.of(0x12F100), context.general(5));
    assertEquals(OptionalLong.empty(), context.general(0));
    assertEquals(OptionalLong.empty(), context.register("eax"));
    assertFalse(context.hasVectors());
  }

  @Test
  void contextsOfArm64AreKnown() {
    byte[] bytes = new LittleEndian().zeros(912).setU32(0, 0x40_0007).toByteArray();
    LittleEndian.putU64(bytes, 0x108, 0xFFFF_1234L);
    LittleEndian.putU64(bytes, 0x100, 0x5000);
    LittleEndian.putU64(bytes, 8 + 8 * 28, 0x28);
    ProcessorContext context = read(bytes, ProcessorArchitecture.ARM64);
    assertEquals(ContextKind.ARM64, context.kind());
    assertEquals(OptionalLong.of(0xFFFF_1234L), context.ip());
    assertEquals(OptionalLong.of(0x5000), context.sp());
    assertEquals(OptionalLong.of(0x28), context.register("x28"));
  }

  @Test
  void sizeAndFlagsDecideWhereTheArchitectureIsUnknownOrWrong() {
    byte[] x86 = MinidumpBuilder.x86(1, 2, 3);
    assertEquals(ContextKind.X86, read(x86, ProcessorArchitecture.UNKNOWN).kind());
    assertEquals(ContextKind.X86, read(x86, ProcessorArchitecture.X64).kind());
    Bytes none = Bytes.copyOf(new byte[2000], "a");
    assertTrue(ProcessorContext.read(none, ProcessorArchitecture.X64).isEmpty());
    assertTrue(ProcessorContext.read(none, ProcessorArchitecture.IA64).isEmpty());
  }
}
