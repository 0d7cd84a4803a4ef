package io.ntrail.formats.pe.unwind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.UnwindInfo.Epilog;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Epilogues of version 2 in drivers and programs of Microsoft. */
class RealEpilogsTest {
  private static final Pattern FUNCTION =
      Pattern.compile(" [0-9a-f]+ \\(rva: [0-9a-f]+\\): ([0-9a-f]+) - ([0-9a-f]+)");
  private static final Pattern TOLD =
      Pattern.compile("\tv2 epilog \\(length: ([0-9a-f]+)\\) at pc\\+:(.*)");

  @BeforeAll
  static void needsData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  @ParameterizedTest
  @CsvSource({
    "pe/windows/acpi.sys.gz, 2393, 1584",
    "pe/windows/WdBoot.sys.gz, 63, 61",
    "pe/windows/pwsh.exe.gz, 2, 2",
    "pdb/win10/amdppm.sys.gz, -1, 445",
    "pdb/win10/Wdf01000.sys.gz, -1, 2953",
  })
  void everyEpilogueIsPopsAndAnInstructionThatLeaves(String file, int version2, int epilogues) {
    PeImage image = UnwindImages.real(file);
    FunctionTable table = FunctionTable.of(image);
    int found = 0;
    int ofVersion2 = 0;
    for (RuntimeFunction function : table.entries()) {
      UnwindInfo info = table.chain(function).info();
      assertTrue(info.damage().isEmpty());
      ofVersion2 += info.version() == 2 ? 1 : 0;
      for (Epilog epilog : info.epilogs()) {
        leaves(image.view(), epilog.startIn(function), epilog.size());
        found++;
      }
    }
    assertEquals(epilogues, found);
    if (version2 >= 0) {
      assertEquals(version2, ofVersion2);
    }
  }

  /** Checks that the bytes of an epilogue are pops, then a return or a jump, and no more. */
  private static void leaves(ImageView view, long start, int size) {
    long at = start;
    long end = start + size;
    while (at < end) {
      int first = view.u8(at);
      int prefix = (first & 0xF0) == 0x40 ? 1 : 0;
      int code = view.u8(at + prefix);
      if ((code & 0xF8) == 0x58) {
        at += 1 + prefix;
        continue;
      }
      int next = view.u8(at + prefix + 1);
      int length =
          switch (code) {
            case 0xC3 -> 1;
            case 0xC2 -> 3;
            case 0xF2, 0xF3 -> next == 0xC3 ? 2 : 6;
            case 0xEB -> 2;
            case 0xE9 -> 5;
            case 0xFF -> (next & 0x38) != 0x20 ? 0 : next == 0x25 ? 6 : 2;
            default -> 0;
          };
      assertTrue(length > 0, "no way out at " + Long.toHexString(at));
      assertEquals(end, at + prefix + length, "at " + Long.toHexString(start));
      return;
    }
    throw new AssertionError("only pops at " + Long.toHexString(start));
  }

  @Test
  void anotherReaderFindsTheSameEpiloguesInEveryFunction() throws IOException {
    Map<String, Map<Long, String>> told = told();
    int compared = 0;
    for (String name : new String[] {"acpi.sys", "WdBoot.sys", "pwsh.exe"}) {
      PeImage image = UnwindImages.real("pe/windows/" + name + ".gz");
      FunctionTable table = FunctionTable.of(image);
      Map<Long, String> here = Objects.requireNonNull(told.get(name));
      for (RuntimeFunction function : table.entries()) {
        UnwindInfo info = UnwindInfo.read(image.view(), function.unwindInfo());
        TreeSet<Long> offsets = new TreeSet<>();
        for (Epilog epilog : info.epilogs()) {
          offsets.add(epilog.startIn(function) - function.begin());
        }
        String found = offsets.isEmpty() ? "" : info.epilogs().getFirst().size() + " " + offsets;
        // It leaves 47 functions of acpi.sys out.
        String expected = here.remove(function.begin() + image.headers().imageBase());
        if (expected != null) {
          assertEquals(expected, found, name + " " + Long.toHexString(function.begin()));
          compared += offsets.size();
        }
      }
      assertEquals(Map.of(), here);
    }
    assertEquals(1597, compared);
  }

  /**
   * Returns the epilogues in objdump's output: for each image and start of a function the size and
   * the starts.
   */
  private static Map<String, Map<Long, String>> told() throws IOException {
    String text =
        new String(
            TestData.gunzip("pe/expected/objdump-p-windows.txt.gz"), StandardCharsets.ISO_8859_1);
    Map<String, Map<Long, String>> images = new TreeMap<>();
    Map<Long, String> image = new TreeMap<>();
    long begin = 0;
    Iterator<String> lines = text.lines().iterator();
    while (lines.hasNext()) {
      String line = lines.next();
      if (line.startsWith("=== ")) {
        image = new TreeMap<>();
        images.put(line.split(" ", -1)[1], image);
      }
      Matcher function = FUNCTION.matcher(line);
      if (function.matches()) {
        begin = Long.parseUnsignedLong(function.group(1), 16);
        image.put(begin, "");
      }
      Matcher epilog = TOLD.matcher(line);
      if (epilog.matches()) {
        TreeSet<Long> offsets = new TreeSet<>();
        for (String word : epilog.group(2).replace("[pad]", "").trim().split(" +", -1)) {
          offsets.add(Long.decode(word));
        }
        image.put(begin, Integer.parseInt(epilog.group(1), 16) + " " + offsets);
      }
    }
    return images;
  }
}
