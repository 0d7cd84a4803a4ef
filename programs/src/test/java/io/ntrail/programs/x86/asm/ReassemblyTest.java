package io.ntrail.programs.x86.asm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.code.CodeChunks;
import io.ntrail.testkit.code.PeCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Real code, decoded and assembled again from its operands: the same bytes, or as good ones. */
class ReassemblyTest {
  private static final Path WINE = Path.of("/usr/lib/x86_64-linux-gnu/wine/x86_64-windows");
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");

  /** Enough of different kinds where there is not time for all. */
  private static final List<String> SOME =
      List.of("ntdll.dll", "kernelbase.dll", "msvcrt.dll", "user32.dll", "windowscodecs.dll");

  /** In what our encoding may differ from that of the compilers; ours is never longer. */
  private static final Pattern STATED =
      Pattern.compile(
          String.join(
              "|",
              "prefixes|displacement|immediate",
              // Base and index, SIB bytes that say nothing, aliases by a digit.
              "address",
              // Register to register goes in both directions.
              "opcode ([0-3])([2a]) -> \\1[08]|opcode ([0-3])([3b]) -> \\3[19]",
              "opcode 8a -> 88|opcode 8b -> 89|opcode 0f7e -> 0f6e|opcode 0fd6 -> 0f7e|VEX",
              // The accumulator, and numbers in one byte, have opcodes of their own.
              "opcode [0-3][5d] -> 83|opcode 80 -> [0-3][4c]|opcode 81 -> ([0-3][5d]|83)",
              "opcode 68 -> 6a|opcode 69 -> 6b|opcode 8[89ab] -> a[0-3]|opcode f[67] -> a[89]",
              // So have registers alone, and shifts by one.
              "opcode f[ef] -> [45].|opcode c[67] -> b.|opcode 8f -> 5.|opcode 8[67] -> 9.",
              "opcode c[01] -> d[01]",
              // The same twice.
              "opcode 82 -> 80|opcode d[c-f] -> d[89d]"));

  @Test
  void functionsOfWineAreWrittenAgain() throws IOException {
    boolean wine = Files.isDirectory(WINE);
    assertTrue(wine || !TestData.required("wine"), "NTRAIL_REQUIRE demands wine");
    assumeTrue(wine, "Wine's libraries not found: needs libwine");
    Sweep sweep = new Sweep(CodeSize.BITS64);
    try (Stream<Path> files = Files.list(WINE)) {
      for (Path file : files.sorted().toList()) {
        if (LONG || SOME.contains(file.getFileName().toString())) {
          sweep.image(file.getFileName().toString(), Files.readAllBytes(file));
        }
      }
    }
    sweep.assertWritten(500_000);
  }

  @Test
  void the32BitCodeOfTheSharedImagesIsWrittenAgain() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Sweep sweep = new Sweep(CodeSize.BITS32);
    try (Stream<Path> files = Files.walk(TestData.file("pe"))) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        sweep.image(file.getFileName().toString(), content(file));
      }
    }
    sweep.assertWritten(100_000);
  }

  private static byte[] content(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    boolean compressed = bytes.length > 2 && bytes[0] == 0x1F && bytes[1] == (byte) 0x8B;
    if (!compressed) {
      return bytes;
    }
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return in.readAllBytes();
    }
  }

  /** Goes over the code of images; the same bytes are written once. */
  private static final class Sweep {
    private static final int ENOUGH = 20;
    private static final long ADDRESS = 0x1_8000_1000L;

    private record Key(long low, long high) {}

    private final CodeSize size;
    private final Reassembly reassembly;
    private final Map<Key, Reassembly.Outcome> seen = new HashMap<>();
    private final long[] counts = new long[Reassembly.Outcome.values().length];
    private final List<String> wrong = new ArrayList<>();
    private final Map<String, Integer> refused = new TreeMap<>();
    private final Map<String, String> examples = new TreeMap<>();
    private final Map<String, Integer> others = new TreeMap<>();
    private long instructions;

    Sweep(CodeSize size) {
      this.size = size;
      this.reassembly = new Reassembly(size);
    }

    void image(String name, byte[] image) {
      if (PeCode.bits(image) != size.bits()) {
        return;
      }
      CodeChunks chunks = PeCode.of(image);
      Bytes bytes = Bytes.copyOf(image, name);
      for (int i = 0; i < chunks.count(); i++) {
        int at = chunks.offsets()[i];
        int end = at + chunks.lengths()[i];
        while (at < end) {
          int length = reassembly.decode(bytes, at, end);
          if (length > 0) {
            count(name, Arrays.copyOfRange(image, at, at + length));
          }
          at += Math.max(1, length);
        }
      }
    }

    private void count(String name, byte[] code) {
      instructions++;
      Reassembly.Outcome outcome = seen.computeIfAbsent(key(code), _ -> again(name, code));
      counts[outcome.ordinal()]++;
      if (outcome == Reassembly.Outcome.REFUSED) {
        refused.merge(reassembly.mnemonic(), 1, Integer::sum);
      }
    }

    private Reassembly.Outcome again(String name, byte[] code) {
      long address = size == CodeSize.BITS64 ? ADDRESS : ADDRESS & 0x7FFF_FFFF;
      Reassembly.Outcome outcome = reassembly.again(code, address);
      if (outcome == Reassembly.Outcome.OTHER) {
        others.merge(reassembly.other(), 1, Integer::sum);
      }
      if (outcome == Reassembly.Outcome.WRONG && wrong.size() < ENOUGH) {
        wrong.add(name + ": " + reassembly.detail());
      } else if (outcome == Reassembly.Outcome.REFUSED) {
        examples.putIfAbsent(reassembly.mnemonic(), reassembly.detail());
      }
      return outcome;
    }

    private static Key key(byte[] code) {
      long low = 0;
      long high = code.length;
      for (int i = 0; i < code.length; i++) {
        if (i < 8) {
          low = low << 8 | code[i] & 0xFF;
        } else {
          high = high << 8 | code[i] & 0xFF;
        }
      }
      return new Key(low, high);
    }

    void assertWritten(long least) {
      assertEquals(List.of(), wrong);
      assertTrue(instructions > least, instructions + " instructions");
      List<String> unstated =
          others.keySet().stream().filter(other -> !STATED.matcher(other).matches()).toList();
      assertEquals(List.of(), unstated, others.toString());
      long written =
          counts[Reassembly.Outcome.SAME.ordinal()] + counts[Reassembly.Outcome.OTHER.ordinal()];
      assertTrue(written >= 0.95 * instructions, written + " of " + instructions + ": " + refused);
    }
  }
}
