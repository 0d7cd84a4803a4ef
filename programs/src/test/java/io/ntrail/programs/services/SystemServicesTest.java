package io.ntrail.programs.services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ProcessorTime;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;
import io.ntrail.testkit.pe.SmallPe;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Services of written images: stubs of every Windows, and kernels. */
class SystemServicesTest {
  private static final int X86 = 0x14C;
  private static final int X64 = 0x8664;
  private static final int ARM64 = 0xAA64;

  private static SystemServices services(byte[] file) {
    try (InputFile input = InputFile.of(file, "sketch.dll")) {
      return SystemServices.of(PeImage.ofFile(input));
    }
  }

  private static SystemServices stub(int machine, String bytes, String... names) {
    byte[] code = HexFormat.ofDelimiter(" ").parseHex(bytes);
    SmallPe sketch = new SmallPe(machine);
    long at = sketch.section(".text", SmallPe.CODE, code);
    Map<String, Long> exports = new TreeMap<>();
    for (String name : names) {
      exports.put(name, at);
    }
    return services(sketch.exports(exports).file());
  }

  private static OptionalInt arguments(int count) {
    return count < 0 ? OptionalInt.empty() : OptionalInt.of(count);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      textBlock =
          """
          x64 of Windows 10,   34404, 4C 8B D1 B8 55 00 00 00 F6 04 25 08 03 FE 7F 01 75 03 0F 05 C3 CD 2E C3, 85, -1
          x64 before,          34404, 4C 8B D1 B8 55 00 00 00 0F 05 C3, 85, -1
          x64 of win32k,       34404, 4C 8B D1 B8 85 10 00 00 0F 05 C3, 4229, -1
          x64 Zw of a kernel,  34404, 48 8B C4 FA 48 83 EC 10 50 9C 6A 10 48 8D 05 11 22 33 44 50 B8 55 00 00 00 E9 11 22 33 44, 85, -1
          XP SP2 to 7,         332, B8 25 00 00 00 BA 00 03 FE 7F FF 12 C2 2C 00, 37, 11
          XP,                  332, B8 25 00 00 00 BA 00 03 FE 7F FF D2 C2 2C 00, 37, 11
          2000,                332, B8 25 00 00 00 8D 54 24 04 CD 2E C2 04 00, 37, 1
          8 of 32 bits,        332, B8 25 00 00 00 E8 03 00 00 00 C2 2C 00 8B D4 0F 34 C3, 37, 11
          8 without arguments, 332, B8 25 00 00 00 E8 01 00 00 00 C3 8B D4 0F 34 C3, 37, 0
          WOW64 of 7,          332, B8 25 00 00 00 33 C9 8D 54 24 04 64 FF 15 C0 00 00 00 83 C4 04 C2 2C 00, 37, 11
          WOW64 of 7 turbo,    332, B8 25 00 00 00 B9 07 00 00 00 8D 54 24 04 64 FF 15 C0 00 00 00 83 C4 04 C2 2C 00, 37, 11
          WOW64 of XP,         332, B8 25 00 00 00 33 C9 8D 54 24 04 64 FF 15 C0 00 00 00 C3, 37, 0
          WOW64 of 8,          332, B8 25 00 1A 00 64 FF 15 C0 00 00 00 C2 2C 00, 37, 11
          WOW64 of 10 turbo,   332, B8 25 00 07 00 BA 50 8D 30 4B FF D2 C2 2C 00 90, 37, 11
          ARM64,               43620, A1 0A 00 D4 C0 03 5F D6, 85, -1
          """)
  void aStubHasItsNumber(String form, int machine, String bytes, int number, int count) {
    SystemServices services = stub(machine, bytes, "NtCreateFile");
    assertEquals(
        List.of(
            new SystemService(
                number,
                OptionalInt.of(0xA97A_4DD7),
                arguments(count),
                SmallPe.FIRST,
                "NtCreateFile")),
        services.list());
    assertEquals(SystemServices.Source.STUBS, services.source());
  }

  @Test
  void aStubThatIsExportedAsNtAndZwIsOneServiceWithItsNtName() {
    SystemServices services =
        stub(X64, "4C 8B D1 B8 55 00 00 00 0F 05 C3", "AlsoClose", "ZwClose", "NtClose");
    assertEquals(List.of("NtClose"), names(services));
  }

  @Test
  void servicesAreSortedByNumber() {
    LittleEndian code = new LittleEndian();
    SmallPe sketch = new SmallPe(X64);
    Map<String, Long> exports = new TreeMap<>();
    int[] numbers = {7, 3, 0x1001, 5};
    for (int i = 0; i < numbers.length; i++) {
      exports.put("NtTest" + i, SmallPe.FIRST + code.size());
      code.u8(0x4C).u8(0x8B).u8(0xD1).u8(0xB8).u32(numbers[i]).u8(0x0F).u8(0x05).u8(0xC3).align(16);
    }
    sketch.section(".text", SmallPe.CODE, code.toByteArray());
    SystemServices services = services(sketch.exports(exports).file());
    assertEquals(
        List.of(3, 5, 7, 0x1001), services.list().stream().map(SystemService::index).toList());
    assertEquals(List.of("NtTest1", "NtTest3", "NtTest0", "NtTest2"), names(services));
    assertEquals(4, services.named());
  }

  @ParameterizedTest
  @CsvSource({
    // no return where it belongs
    "34404, 4C 8B D1 B8 55 00 00 00 0F 05 90",
    // a number that no table has
    "34404, 4C 8B D1 B8 55 00 01 00 0F 05 C3",
    // a hook in its first bytes
    "34404, E9 11 22 33 44 00 00 00 0F 05 C3",
    // arguments that are not a multiple of four
    "332, B8 25 00 00 00 BA 00 03 FE 7F FF 12 C2 2B 00",
    // another machine's
    "332, 4C 8B D1 B8 55 00 00 00 0F 05 C3",
    "43620, A1 0A 00 D4 C0 03 5F D7",
  })
  void codeThatOnlyLooksLikeAStubIsNotOne(int machine, String bytes) {
    SystemServices services = stub(machine, bytes, "NtCreateFile");
    assertEquals(List.of(), services.list());
    assertEquals(SystemServices.Source.NONE, services.source());
  }

  @Test
  void anyFunctionMayCallThroughARegisterButNoneOfThatNameDoes() {
    String bytes = "B8 25 00 07 00 BA 50 8D 30 4B FF D2 C2 2C 00";
    assertEquals(List.of(), stub(X86, bytes, "CallTheHandler").list());
    assertEquals(1, stub(X86, bytes, "NtClose").list().size());
  }

  @Test
  void aStubUnderAnotherNameHasThatNameAndNoHash() {
    SystemServices services = stub(X64, "4C 8B D1 B8 55 10 00 00 0F 05 C3", "GetDC");
    assertEquals("GetDC", services.list().getFirst().name());
    assertEquals(OptionalInt.empty(), services.list().getFirst().hash());
  }

  @Test
  void anImageThatEndsInsideAStubHasNone() {
    assertEquals(List.of(), stub(ARM64, "A1 0A 00 D4", "NtClose").list());
  }

  private static List<String> names(SystemServices services) {
    return services.list().stream().map(service -> String.valueOf(service.name())).toList();
  }

  /** A kernel whose table begins after {@code before} bytes of other constants. */
  private static byte[] kernel(int before, List<String> names, int unknownEvery) {
    SmallPe sketch = new SmallPe(X64);
    sketch.section(".text", SmallPe.CODE, new LittleEndian().fill(0x4000, 0xC3).toByteArray());
    LittleEndian data = new LittleEndian().fill(before, 0x5A);
    table(data, sketch.base() + SmallPe.FIRST, names, unknownEvery);
    data.fill(64, 0x5A);
    sketch.section(".rdata", SmallPe.CONSTANTS, data.toByteArray());
    return sketch.file();
  }

  private static void table(LittleEndian data, long code, List<String> names, int unknownEvery) {
    for (int i = 0; i < names.size(); i++) {
      boolean unknown = unknownEvery > 0 && i % unknownEvery == 0;
      data.u32(unknown ? 0x1234_5678 + i : ServiceNameHash.of(names.get(i)));
      data.u32(i % 18).u64(code + 16L * i);
    }
  }

  private static List<String> someNames(int count) {
    return ServiceNames.load().list().stream()
        .filter(name -> !name.startsWith("NtUser") && !name.startsWith("NtGdi"))
        .map(name -> name.substring(2))
        .limit(count)
        .toList();
  }

  @Test
  void theTableOfAKernelIsFoundWhereverItLies() {
    for (int before : new int[] {0, 8, 16, 1000, 4096}) {
      SystemServices services = services(kernel(before, someNames(100), 0));
      assertEquals(SystemServices.Source.SERVICES_TAB, services.source());
      assertEquals(100, services.list().size());
      assertEquals(100, services.named());
      SystemService third = services.list().get(2);
      assertEquals(2, third.index());
      assertEquals(OptionalInt.of(2), third.arguments());
      assertEquals(SmallPe.FIRST + 32, third.rva());
      assertEquals("Nt" + someNames(100).get(2), third.name());
    }
  }

  @Test
  void unknownServicesStayInTheTableWithoutAName() {
    SystemServices services = services(kernel(8, someNames(90), 3));
    assertEquals(90, services.list().size());
    assertEquals(60, services.named());
    SystemService first = services.list().getFirst();
    assertNull(first.name());
    assertEquals(OptionalInt.of(0x1234_5678), first.hash());
    assertEquals(SmallPe.FIRST, first.rva());
  }

  @Test
  void aTableOfWhichMostIsUnknownIsNone() {
    assertEquals(List.of(), services(kernel(8, someNames(60), 1)).list());
  }

  @Test
  void aFewKnownHashesAreNotATable() {
    assertEquals(List.of(), services(kernel(8, someNames(15), 0)).list());
    assertEquals(16, services(kernel(8, someNames(16), 0)).list().size());
  }

  @Test
  void oneServiceAHundredTimesIsNotATable() {
    List<String> same = java.util.Collections.nCopies(100, "Close");
    assertEquals(List.of(), services(kernel(8, same, 0)).list());
  }

  @Test
  void ofTwoTablesTheOneWithMoreKnownServicesCounts() {
    SmallPe sketch = new SmallPe(X64);
    sketch.section(".text", SmallPe.CODE, new LittleEndian().fill(0x4000, 0xC3).toByteArray());
    long code = sketch.base() + SmallPe.FIRST;
    LittleEndian data = new LittleEndian();
    table(data, code, someNames(30), 0);
    data.zeros(24);
    table(data, code + 0x100, someNames(50), 0);
    data.zeros(16);
    table(data, code, someNames(80), 2);
    sketch.section(".rdata", SmallPe.CONSTANTS, data.toByteArray());
    SystemServices services = services(sketch.file());
    assertEquals(50, services.list().size());
    assertEquals(SmallPe.FIRST + 0x100, services.list().getFirst().rva());
  }

  @Test
  void recordsThatPointIntoDataAreNone() {
    SmallPe sketch = new SmallPe(X64);
    sketch.section(".text", SmallPe.CODE, new byte[64]);
    LittleEndian data = new LittleEndian();
    table(data, sketch.base() + sketch.next(), someNames(50), 0);
    sketch.section(".rdata", SmallPe.CONSTANTS, data.toByteArray());
    assertEquals(List.of(), services(sketch.file()).list());
  }

  @Test
  void aFileFullOfRecordsIsReadInTime() {
    SmallPe sketch = new SmallPe(X64);
    sketch.section(".text", SmallPe.CODE, new byte[64]);
    LittleEndian data = new LittleEndian(16 << 20);
    int hash = ServiceNameHash.of("Close");
    while (data.size() < 16 << 20) {
      data.u32(hash).u32(1).u64(sketch.base() + SmallPe.FIRST);
    }
    sketch.section(".rdata", SmallPe.CONSTANTS, data.toByteArray());
    long start = ProcessorTime.nanos();
    assertEquals(List.of(), services(sketch.file()).list());
    long millis = (ProcessorTime.nanos() - start) / 1_000_000;
    assertTrue(millis < 5_000, () -> millis + " ms");
  }

  @Test
  void noSharedImageMakesItFail() {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (PeSample sample : PeSamples.all()) {
      try (InputFile input = InputFile.of(sample.bytes(), sample.toString())) {
        SystemServices services = SystemServices.of(PeImage.ofFile(input));
        assertEquals(List.of(), services.list(), sample.toString());
      } catch (io.ntrail.formats.bytes.CannotGoOn e) {
        // no image
      }
    }
  }
}
