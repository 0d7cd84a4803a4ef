package io.ntrail.analysis.dumps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.dump.MinidumpBuilder;
import io.ntrail.testkit.pe.LoaderView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Exceptions of which there is no shared dump, in words. */
class ExceptionTextTest {
  private static DumpedException exception(MinidumpBuilder writer, long code, long... parameters) {
    byte[] content =
        writer.exception(1, code, 0x1234, MinidumpBuilder.x64(0x1234), parameters).toByteArray();
    try (DumpRecording dump = DumpRecording.open(InputFile.of(content, "a.dmp"), new Gaps())) {
      return dump.exception().orElseThrow();
    }
  }

  private static DumpedException exception(long code, long... parameters) {
    return exception(new MinidumpBuilder().system(9, 10, 0, 22631), code, parameters);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "C0000374 | STATUS_HEAP_CORRUPTION | HEAP CORRUPTION",
        "C0000094 | STATUS_INTEGER_DIVIDE_BY_ZERO | INTEGER DIVIDE BY ZERO",
        "C000001D | STATUS_ILLEGAL_INSTRUCTION | ILLEGAL INSTRUCTION",
        "C0000417 | STATUS_INVALID_CRUNTIME_PARAMETER | INVALID PARAMETER",
        "80000003 | STATUS_BREAKPOINT | BREAKPOINT",
        "4000001F | STATUS_WX86_BREAKPOINT | WX86 BREAKPOINT",
        "E0434352 | EXCEPTION_COMPLUS | .NET EXCEPTION",
        "E06D7363 | EH_EXCEPTION_NUMBER | C++ EXCEPTION",
        "0517A7ED | CRASHPAD_SIMULATED | NO EXCEPTION, Crashpad wrote the dump on request",
        "E1234567 | '' | EXCEPTION 0xe1234567"
      })
  void codesHaveNames(String code, String name, String text) {
    DumpedException found = exception(Long.parseLong(code, 16));
    assertEquals(name, found.name());
    assertEquals(text, found.text());
  }

  @Test
  void aPageThatCouldNotBeReadHasItsReason() {
    assertEquals(
        "IN-PAGE ERROR, it read address 0x7ff012345678, because of STATUS_IO_DEVICE_ERROR",
        exception(0xC0000006L, 0, 0x7FF0_1234_5678L, 0xC0000185L).text());
  }

  @Test
  void managedExceptionsHaveTheirResult() {
    assertEquals(
        ".NET EXCEPTION, HRESULT 0x80004003 E_POINTER", exception(0xE0434352L, 0x80004003L).text());
  }

  @Test
  void fastFailsHaveTheirCode() {
    assertEquals(
        "FAST FAIL, code 3 FAST_FAIL_CORRUPT_LIST_ENTRY: a linked list is corrupt",
        exception(0xC0000409L, 3).text());
    assertEquals(
        "FAST FAIL, code 48 FAST_FAIL_SET_CONTEXT_DENIED", exception(0xC0000409L, 48).text());
    assertEquals("FAST FAIL, code 900", exception(0xC0000409L, 900).text());
    assertEquals(
        "FAST FAIL, a buffer on the stack was overrun (the /GS cookie is wrong)",
        exception(0xC0000409L).text());
  }

  /** The type is in the image: a program of others, mapped as the loader does it. */
  @Test
  void aThrownObjectHasItsType() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] file =
        TestData.unpacked(TestData.file("pe/eh/cxx_eh_probe-msvc-x86_64-fh3-no-gs-o0.exe"));
    byte[] memory = LoaderView.map(file);
    long base = 0x1_4000_0000L;
    Set<String> texts = new TreeSet<>();
    for (int rva : throwInfos(memory)) {
      MinidumpBuilder writer =
          new MinidumpBuilder()
              .system(9, 10, 0, 22631)
              .module(base, memory.length, 1, "C:\\probe.exe")
              .memory(base, memory);
      texts.add(exception(writer, 0xE06D7363L, 0x19930520L, 0x5000, base + rva, base).text());
    }
    assertEquals(
        Set.of(
            "C++ EXCEPTION, an object of type `anonymous namespace'::ProbeDerived was thrown",
            "C++ EXCEPTION, an object of type `anonymous namespace'::ProbeError was thrown"),
        texts);
  }

  /**
   * Finds ThrowInfos by their shape: no attributes, and an array of types whose descriptors hold
   * names that begin as those of structures do.
   */
  private static List<Integer> throwInfos(byte[] memory) {
    List<Integer> found = new ArrayList<>();
    for (int at = 0x1000; at < memory.length - 32; at += 4) {
      long array = LittleEndian.getU32(memory, at + 12);
      if (LittleEndian.getU32(memory, at) != 0 || array < 0x1000 || array > memory.length - 8) {
        continue;
      }
      long count = LittleEndian.getU32(memory, (int) array);
      long type = LittleEndian.getU32(memory, (int) array + 4);
      if (count < 1 || count > 8 || type < 0x1000 || type > memory.length - 32) {
        continue;
      }
      long descriptor = LittleEndian.getU32(memory, (int) type + 4);
      if (descriptor > 0x1000 && descriptor < memory.length - 64) {
        String name = new String(memory, (int) descriptor + 16, 6, StandardCharsets.ISO_8859_1);
        if (name.equals(".?AUPr")) {
          found.add(at);
        }
      }
    }
    assertTrue(found.size() >= 2, found + " found");
    return found;
  }
}
