package io.ntrail.formats.pe.unwind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.ArmFunctions.Entry;
import io.ntrail.formats.pe.unwind.ArmUnwind.Described;
import io.ntrail.formats.pe.unwind.ArmUnwind.Packed;
import io.ntrail.formats.pe.unwind.ArmUnwind.PackedThumb;
import io.ntrail.formats.pe.unwind.ArmUnwind.Unreadable;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ArmFunctionsTest {
  private static final int AT = UnwindImages.BODY;

  private static List<String> told() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            ArmFunctionsTest.class.getResourceAsStream("arm-functions.expected.txt"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    }
  }

  private static String text(Entry entry) {
    String start = Long.toHexString(entry.begin()) + " " + entry.unwind().length() + " ";
    return start
        + switch (entry.unwind()) {
          case Packed p ->
              "packed %s floats %d registers %d homes %s chain %d frame %d"
                  .formatted(
                      yes(p.fragment()),
                      p.savedFloats(),
                      p.savedRegisters(),
                      yes(p.homes()),
                      p.chain(),
                      p.frameSize());
          case PackedThumb p ->
              "packed %s returns %d homes %s"
                  .formatted(yes(p.fragment()), p.returns(), yes(p.homes()));
          case Described d ->
              "record %x %s %d %d %x"
                  .formatted(
                      d.rva(),
                      d.singleEpilog() ? "one" : "many",
                      d.epilogs(),
                      4 * d.codeWords(),
                      d.handler());
          case Unreadable u -> u.why();
        };
  }

  private static String yes(boolean is) {
    return is ? "Yes" : "No";
  }

  @Test
  void theFunctionsOfTwoProgramsAreWhatAnotherReaderFinds() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<String> found = new ArrayList<>();
    for (String machine : List.of("arm", "aarch64")) {
      String file = "pe/eh/seh_probe-msvc-" + machine + "-native-gs-o2.exe";
      found.add(file);
      PeImage image = UnwindImages.real(file);
      ArmFunctions.of(image).forEach(entry -> found.add(text(entry)));
      assertEquals(List.of(), image.gaps());
    }
    assertEquals(told(), found);
  }

  @Test
  void aRecordWithoutCountsHasThemInASecondWord() {
    LittleEndian body = new LittleEndian().u32(0x1000).u32(AT + 8);
    body.u32(0x10 | 1 << 20).u32(2 | 1 << 16).u32(0).u32(0).u32(0).u32(0x7000);
    Described record =
        assertInstanceOf(
            Described.class,
            ArmFunctions.of(UnwindImages.small(MachineType.ARM64, body.toByteArray(), AT, 8))
                .getFirst()
                .unwind());
    assertEquals(64, record.length());
    assertEquals(2, record.epilogs());
    assertEquals(1, record.codeWords());
    assertEquals(AT + 24, record.codes());
    assertEquals(0x7000, record.handler());
    assertEquals(AT + 32, record.handlerData());
  }

  @Test
  void aRecordPastTheImageAndAnUnknownKindAreValues() {
    LittleEndian body = new LittleEndian().u32(0x1000).u32(0x9000).u32(0x2000).u32(0x1003);
    List<Entry> entries =
        ArmFunctions.of(UnwindImages.small(MachineType.ARM64, body.toByteArray(), AT, 16));
    assertEquals(2, entries.size());
    entries.forEach(entry -> assertInstanceOf(Unreadable.class, entry.unwind()));
  }
}
