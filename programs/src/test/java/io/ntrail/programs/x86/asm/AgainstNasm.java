package io.ntrail.programs.x86.asm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Compares what calls write with what nasm makes of the same instructions as text: equal bytes, or
 * as short and read by objdump as the same text. And our decoder has to read it back.
 */
final class AgainstNasm {
  private final boolean wide;
  private final List<String> differences = new ArrayList<>();
  private final Set<String> unknown = new TreeSet<>();
  private int equal;
  private int equalInMeaning;

  private AgainstNasm(boolean wide) {
    this.wide = wide;
  }

  /** Compares, and remembers what differs. */
  static AgainstNasm compare(
      Path folder, boolean wide, List<Written> all, Predicate<Written> mayDiffer)
      throws IOException, InterruptedException {
    AgainstNasm result = new AgainstNasm(wide);
    List<Nasm.Line> lines =
        Nasm.assemble(folder, wide, RandomOperands.BASE, all.stream().map(Written::text).toList());
    List<Written> others = new ArrayList<>();
    List<byte[]> ours = new ArrayList<>();
    List<byte[]> theirs = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      Written written = all.get(i);
      Nasm.Line line = lines.get(i);
      byte[] bytes = written.bytes(wide, line.address());
      result.readBack(written, bytes);
      if (!line.error().isEmpty()) {
        result.unknown.add(mnemonic(written.text()));
      } else if (Arrays.equals(bytes, line.bytes())) {
        result.equal++;
      } else if (!mayDiffer.test(written)) {
        others.add(written);
        ours.add(bytes);
        theirs.add(line.bytes());
      }
    }
    List<String> ourTexts = Disassembly.of(folder, wide, ours);
    List<String> theirTexts = Disassembly.of(folder, wide, theirs);
    for (int i = 0; i < others.size(); i++) {
      if (ours.get(i).length <= theirs.get(i).length && ourTexts.get(i).equals(theirTexts.get(i))) {
        result.equalInMeaning++;
      } else {
        result.differences.add(
            "%s: ours %s (%s), nasm's %s (%s)"
                .formatted(
                    others.get(i).text(),
                    hex(ours.get(i)),
                    ourTexts.get(i),
                    hex(theirs.get(i)),
                    theirTexts.get(i)));
      }
    }
    return result;
  }

  /** Has our decoder read everything back, and compares nothing else. */
  static AgainstNasm readBack(boolean wide, List<Written> all) {
    AgainstNasm result = new AgainstNasm(wide);
    for (Written written : all) {
      result.readBack(written, written.bytes(wide, RandomOperands.BASE));
    }
    return result;
  }

  private void readBack(Written written, byte[] bytes) {
    InstructionDecoder decoder = InstructionDecoder.of(wide ? CodeSize.BITS64 : CodeSize.BITS32);
    Instruction instruction = new Instruction();
    int length = decoder.decode(Bytes.copyOf(bytes, written.text()), 0, bytes.length, instruction);
    boolean right =
        length == bytes.length
            && instruction.length() == bytes.length
            && (written.flow().isEmpty()
                || instruction.flowClass().name().equals(flowName(written.flow())));
    if (!right) {
      differences.add(written.text() + ": " + hex(bytes) + " is read back as " + instruction);
    }
  }

  private static String flowName(String flow) {
    return flow.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  private static String mnemonic(String text) {
    return text.split(" ", 2)[0];
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** Returns the differences, as sentences. */
  List<String> differences() {
    return differences;
  }

  /** Mnemonics of what nasm does not know. */
  Set<String> unknown() {
    return unknown;
  }

  /** Returns the number of byte-for-byte equal encodings. */
  int equal() {
    return equal;
  }

  /** Fails with all differences. */
  void assertSame() {
    assertEquals(List.of(), differences);
  }

  @Override
  public String toString() {
    return "%d-bit: %d equal, %d equal in meaning, %d different, unknown to nasm: %s"
        .formatted(wide ? 64 : 32, equal, equalInMeaning, differences.size(), unknown);
  }
}
