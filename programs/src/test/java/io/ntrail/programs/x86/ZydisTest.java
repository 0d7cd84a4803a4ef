package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.code.CodeChunks;
import io.ntrail.testkit.code.PeCode;
import io.ntrail.testkit.code.RandomCode;
import io.ntrail.testkit.code.Zydis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares lengths, validity and classes with Zydis 4.0.0, over real code and random bytes. */
class ZydisTest {
  private static final Path WINE = Path.of("/usr/lib/x86_64-linux-gnu/wine/x86_64-windows");
  private static final int STRINGS = 340_000;
  private static final long SEED = 20_251_121;

  /** Newer than that Zydis. */
  private static final Set<String> NEWER =
      Set.of(
          "AMX-COMPLEX",
          "AMX-FP16",
          "AVX-IFMA",
          "AVX-NE-CONVERT",
          "AVX-VNNI-INT16",
          "AVX-VNNI-INT8",
          "CMPCCXADD",
          "FRED",
          "LKGS",
          "MSRLIST",
          "PADLOCK-GMI",
          "PADLOCK-UNDOC",
          "RAO-INT",
          "SEV-SNP",
          "SHA512",
          "SM3",
          "SM4",
          "TSE",
          "USER-MSR",
          "WRMSRNS");

  /** Of Knights Corner, which we refuse. */
  private static final Set<String> KNIGHTS_CORNER =
      Set.of(
          "clevict0",
          "clevict1",
          "delay",
          "jknzd",
          "jkzd",
          "kand",
          "kandn",
          "kandnr",
          "kconcath",
          "kconcatl",
          "kextract",
          "kmerge2l1h",
          "kmerge2l1l",
          "kmov",
          "knot",
          "kor",
          "kortest",
          "kxnor",
          "kxor",
          "lzcnt",
          "popcnt",
          "spflt",
          "tzcnt",
          "tzcnti",
          "vprefetch0",
          "vprefetch1",
          "vprefetch2",
          "vprefetche0",
          "vprefetche1",
          "vprefetche2",
          "vprefetchenta",
          "vprefetchnta");

  @TempDir Path folder;

  @Test
  void allFunctionsOfAllWineLibrariesAreSeenAlike() throws IOException {
    Zydis zydis = zydis();
    boolean wine = Files.isDirectory(WINE);
    assertTrue(wine || !TestData.required("wine"), "NTRAIL_REQUIRE demands wine");
    assumeTrue(wine, "Wine's libraries not found: needs libwine");
    Sweep sweep = new Sweep(zydis);
    try (Stream<Path> files = Files.list(WINE)) {
      for (Path file : Slice.of(files.sorted().toList(), 14)) {
        sweep.image(file.getFileName().toString(), Files.readAllBytes(file));
      }
    }
    assertEquals(List.of(), sweep.differences);
    assertTrue(
        sweep.instructions > Slice.count(10_000_000, 500_000),
        sweep.instructions + " instructions");
  }

  @Test
  void theCodeOfTheSharedImagesIsSeenAlike() throws IOException {
    Zydis zydis = zydis();
    assumeTrue(TestData.available(), TestData.MISSING);
    Sweep sweep = new Sweep(zydis);
    try (Stream<Path> files = Files.walk(TestData.file("pe"))) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        sweep.image(file.getFileName().toString(), TestData.unpacked(file));
      }
    }
    assertEquals(List.of(), sweep.differences);
    assertTrue(sweep.instructions > 1_000_000, sweep.instructions + " instructions");
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32, 16})
  void randomBytesAreSeenAlikeButForNamedExtensions(int bits) throws IOException {
    Zydis zydis = zydis();
    List<String> names = zydis.names();
    byte[][] strings = RandomCode.strings(SEED, STRINGS);
    int[] seen = zydis.first(bits, CodeChunks.of(strings));
    CodeSize size = CodeSize.valueOf("BITS" + bits);
    InstructionDecoder decoder = InstructionDecoder.of(size);
    Opcodes opcodes = new Opcodes(size);
    Instruction instruction = new Instruction();
    Map<String, Integer> stated = new TreeMap<>();
    List<String> differences = new ArrayList<>();
    int valid = 0;
    for (int i = 0; i < strings.length; i++) {
      byte[] code = strings[i];
      int length = decoder.decode(Bytes.copyOf(code, "string"), 0, code.length, instruction);
      int expected = seen[i] & 0xFF;
      String mnemonic = names.get(seen[i] >>> 16);
      valid += expected > 0 ? 1 : 0;
      Set<String> newer = new HashSet<>(opcodes.features(code));
      newer.retainAll(NEWER);
      if (length == expected && (length == 0 || isClass(seen[i] >> 8, instruction))) {
        continue;
      }
      if (expected == 0 && !newer.isEmpty()) {
        stated.merge(newer.toString(), 1, Integer::sum);
      } else if (length == 0 && KNIGHTS_CORNER.contains(mnemonic)) {
        stated.merge("Knights Corner", 1, Integer::sum);
      } else {
        differences.add(
            HexFormat.of().formatHex(code)
                + (" " + mnemonic + " " + expected + ", ours: " + instruction));
      }
    }
    assertEquals(List.of(), differences);
    assertTrue(valid > STRINGS / 5, valid + " instructions");
    int all = stated.values().stream().mapToInt(n -> n).sum();
    assertTrue(all < STRINGS / 500, stated.toString());
  }

  private Zydis zydis() throws IOException {
    var zydis = Zydis.in(folder);
    assumeTrue(zydis.isPresent(), Zydis.MISSING);
    return zydis.orElseThrow();
  }

  /** Goes over all code of images beside Zydis. */
  private static final class Sweep {
    private static final int ENOUGH = 20;

    private final Zydis zydis;
    private final Instruction instruction = new Instruction();
    private final List<String> differences = new ArrayList<>();
    private long instructions;

    Sweep(Zydis zydis) {
      this.zydis = zydis;
    }

    void image(String name, byte[] image) throws IOException {
      int bits = PeCode.bits(image);
      if (bits == 0) {
        return;
      }
      CodeChunks chunks = PeCode.of(image);
      int[] seen = zydis.sweep(bits, chunks);
      InstructionDecoder decoder = InstructionDecoder.of(CodeSize.valueOf("BITS" + bits));
      Bytes bytes = Bytes.copyOf(image, name);
      int next = 0;
      for (int i = 0; i < chunks.count(); i++) {
        int at = chunks.offsets()[i];
        int end = at + chunks.lengths()[i];
        while (at < end) {
          int expected = seen[next] & 0xFF;
          int length = decoder.decode(bytes, at, end, instruction);
          if (length != expected || length != 0 && !isClass(seen[next] >> 8, instruction)) {
            note(name + " " + Integer.toHexString(at) + " " + expected + ", ours: " + instruction);
          }
          at += Math.max(1, expected);
          next++;
        }
      }
      assertEquals(seen.length, next);
      instructions += next;
    }

    private void note(String difference) {
      if (differences.size() < ENOUGH) {
        differences.add(difference);
      }
    }
  }

  private static boolean isClass(int letter, Instruction instruction) {
    return instruction.flowClass() == flowClass((char) (letter & 0xFF));
  }

  private static FlowClass flowClass(char letter) {
    return switch (letter) {
      case 'b' -> FlowClass.CONDITIONAL_BRANCH;
      case 'j' -> FlowClass.DIRECT_JUMP;
      case 'c' -> FlowClass.DIRECT_CALL;
      case 'J' -> FlowClass.INDIRECT_JUMP;
      case 'C' -> FlowClass.INDIRECT_CALL;
      case 'r' -> FlowClass.RETURN;
      case 'F' -> FlowClass.FAR_JUMP;
      case 'G' -> FlowClass.FAR_CALL;
      case 'R' -> FlowClass.FAR_RETURN;
      case 'i' -> FlowClass.INTERRUPT;
      case 'I' -> FlowClass.INTERRUPT_RETURN;
      case 's' -> FlowClass.SYSTEM_CALL;
      case 'S' -> FlowClass.SYSTEM_RETURN;
      case 'v' -> FlowClass.VM_ENTRY;
      case 'V' -> FlowClass.VM_EXIT;
      case 'x' -> FlowClass.TRANSACTION_BEGIN;
      case 'a' -> FlowClass.TRANSACTION_ABORT;
      case 'X' -> FlowClass.TRANSACTION_END;
      case 'p' -> FlowClass.PTWRITE;
      case '3' -> FlowClass.MOV_CR3;
      case 'l' -> FlowClass.VMPTRLD;
      case 'e' -> FlowClass.EXCEPTION;
      default -> FlowClass.NEXT;
    };
  }
}
