package io.ntrail.analysis.dumps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.dumps.FaultAddress.Access;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.dump.MinidumpBuilder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Classification of the address that a program could not access. */
class FaultAddressTest {
  private static final int COMMIT = 0x1000;
  private static final int RESERVE = 0x2000;
  private static final int FREE = 0x10000;
  private static final int PRIVATE = 0x20000;

  private static DumpRecording dump(int architecture, long access, long address) {
    byte[] teb = new LittleEndian().zeros(0x1800).toByteArray();
    // StackBase, StackLimit and DeallocationStack of a 64-bit TEB.
    LittleEndian.putU64(teb, 0x08, 0x50_0000);
    LittleEndian.putU64(teb, 0x10, 0x4F_C000);
    LittleEndian.putU64(teb, 0x1478, 0x40_0000);
    byte[] context =
        architecture == 9
            ? MinidumpBuilder.x64(0x1_4000_1000L, 0, 0, 0, 0, 0x4F_F000)
            : MinidumpBuilder.x86(0x401000, 0x4FF000, 0);
    byte[] content =
        new MinidumpBuilder()
            .system(architecture, 10, 0, 19045)
            .thread(7, 0x7_0000_0000L, 0x4F_F000, new byte[0x100], context)
            .memory(0x7_0000_0000L, teb)
            .module(0x1_4000_0000L, 0x1_0000, 1, "C:\\a.exe")
            .unloaded(0x1_5000_0000L, 0x1_0000, "gone.dll")
            .memoryInfo(0, 0x30_0000, FREE, 1, 0)
            .memoryInfo(0x30_0000, 0x1000, COMMIT, 0x104, PRIVATE)
            .memoryInfo(0x30_1000, 0x1000, COMMIT, 0x02, PRIVATE)
            .memoryInfo(0x30_2000, 0x1000, COMMIT, 0x04, PRIVATE)
            .memoryInfo(0x30_3000, 0x1000, RESERVE, 0, PRIVATE)
            .memoryInfo(0x30_4000, 0x1000, COMMIT, 0x01, PRIVATE)
            .memoryInfo(0x40_0000, 0x10_0000, COMMIT, 0x04, PRIVATE)
            .memoryInfo(0x1_4000_0000L, 0x1_0000, COMMIT, 0x20, 0x100_0000)
            .memoryInfo(0x1_5000_0000L, 0x10_0000, FREE, 1, 0)
            .exception(7, 0xC0000005L, 0x1_4000_1000L, context, access, address)
            .toByteArray();
    return DumpRecording.open(InputFile.of(content, "a.dmp"), new Gaps());
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, READ, NULL, null pointer",
    "1, 18, WRITE, NULL, null pointer + 0x18",
    "0, fffffffffffffff8, READ, NULL, null pointer - 0x8",
    "0, ffffffffffffffff, READ, NON_CANONICAL, 'the processor does not report the address: it is"
        + " not canonical, or the instruction is not allowed'",
    "1, 123456789abcdef, WRITE, NON_CANONICAL, not a canonical address",
    "0, 200000, READ, FREE, nothing is allocated there",
    "0, 300010, READ, GUARD_PAGE, a guard page",
    "1, 301010, WRITE, PROTECTED, memory that is read-only",
    "8, 302010, EXECUTE, PROTECTED, memory that is not executable",
    "0, 304010, READ, PROTECTED, memory that is without access",
    "0, 302010, READ, ACCESSIBLE, 'memory, which allows that now'",
    "0, 303010, READ, RESERVED, 'reserved, without memory'",
    "1, 4fb000, WRITE, STACK_RESERVE, 'the reserve of its stack, 0x1000 below what is committed'",
    "8, 4ff010, EXECUTE, PROTECTED, its stack that is not executable",
    "1, 140002000, WRITE, PROTECTED, a.exe that is read-only",
    "8, 150000010, EXECUTE, UNLOADED_MODULE, 'in gone.dll, which was unloaded'",
    "3, 900000000, OTHER, UNKNOWN, ''"
  })
  void theAddressIsClassified(
      long access, String address, Access expectedAccess, AddressKind kind, String text) {
    try (DumpRecording dump = dump(9, access, Long.parseUnsignedLong(address, 16))) {
      DumpedException exception = dump.exception().orElseThrow();
      FaultAddress found = exception.memory().orElseThrow();
      assertEquals(expectedAccess, exception.access().orElseThrow());
      assertEquals(kind, found.kind());
      assertEquals(text, found.text());
      assertEquals(
          "it "
              + expectedAccess.verb()
              + " address 0x"
              + address
              + (text.isEmpty() ? "" : " (" + text + ")"),
          exception.detail());
    }
  }

  @ParameterizedTest
  @CsvSource({"fffffff8, null pointer - 0x8", "ffffffff00000045, null pointer + 0x45"})
  void addressesOf32BitProcessesHave32Bits(String address, String text) {
    try (DumpRecording dump = dump(0, 0, Long.parseUnsignedLong(address, 16))) {
      assertEquals(text, dump.exception().orElseThrow().memory().orElseThrow().text());
    }
  }
}
