package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Operands, masks, rounding and prefixes against the tables of another decoder. A row has words
 * such as {@code op0=r;zmm2 op1=m;ds;eax;;1;64;1;Packed512_UInt32 k3 zmsk}.
 */
class SharedOperandsTest {
  private static final long HIGH_ADDRESS = 0x7FFF_FFFF_FFFF_FFF0L;
  private static final long ADDRESS_32 = 0x7FFF_FFF0L;

  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();
  private CodeSize size = CodeSize.BITS64;
  private long address;

  @ParameterizedTest
  @CsvSource({
    "iced-Decoder-DecoderTest32, 32, 18644",
    "iced-Decoder-DecoderTestMisc32, 32, 39",
    "iced-Decoder-DecoderTestMisc64, 64, 131"
  })
  void operandsAreThoseOfTheTable(String table, int bits, int rows) throws IOException {
    size = CodeSize.valueOf("BITS" + bits);
    List<String> differences = new ArrayList<>();
    int count = 0;
    for (String row : lines(table)) {
      if (row.isBlank() || row.startsWith("#") || row.contains("INVALID") || asksForAnOption(row)) {
        continue;
      }
      String[] columns = row.split(",", -1);
      byte[] code = HexFormat.of().parseHex(columns[0].replace(" ", ""));
      CpuVendor vendor = row.contains("decopt=AMD") ? CpuVendor.AMD : CpuVendor.INTEL;
      InstructionDecoder decoder = InstructionDecoder.of(size, vendor);
      decoder.decode(Bytes.copyOf(code, row), 0, code.length, instruction);
      if (!OperandReader.of(decoder).read(instruction, operands) || isStated(columns)) {
        continue;
      }
      count++;
      address = row.contains(" ip=0x") ? -16 : row.contains(" ip=0") ? 0 : HIGH_ADDRESS;
      List<String> words = Arrays.asList(columns[4].trim().split(" ", -1));
      if (!common(words).equals(ours())) {
        differences.add(row + ": " + ours());
      }
    }
    assertEquals(List.of(), differences);
    assertEquals(rows, count);
  }

  private static boolean asksForAnOption(String row) {
    return row.contains("decopt=") && !row.matches(".*decopt=AMD( .*)?");
  }

  /** Returns true for a difference on purpose. */
  private boolean isStated(String[] columns) {
    String code = columns[1].trim();
    // The manuals do not write ST(0), nor the memory of MASKMOVQ, but they write rAX of CLZERO.
    return code.matches("(Fcomp?|Fucomp?|Fxch)_st0_sti.*|(VEX_V)?[Mm]askmov(q|dqu)_.*")
        || operands.count() > 0 && columns[3].equals(" 0")
        // XLAT has AL as the index.
        || code.equals("Xlat_m8")
        // These segments mean nothing in 64-bit code.
        || size == CodeSize.BITS64 && columns[4].matches(".*\\b(es|cs|ss|ds): .*")
        // That table was made without MPX.
        || code.startsWith("Reservednop") && operands.mnemonic().startsWith("bnd");
  }

  /** The words that say what we say, in a spelling that both can have. */
  private Set<String> common(List<String> words) {
    return words.stream()
        .filter(word -> word.matches("op\\d=.*|k\\d|zmsk|bcst|sae|rc-..|lock|xacquire|xrelease"))
        .map(this::operand)
        .collect(Collectors.toSet());
  }

  private String operand(String word) {
    if (!word.startsWith("op")) {
      return word;
    }
    String[] parts = word.substring(4).split(";", -1);
    String place = word.substring(0, 4);
    return place
        + switch (parts[0]) {
          case "r" -> parts[1];
          case "m" -> memory(parts);
          case "esdi", "esedi", "esrdi" -> "es:" + parts[0].substring(2);
          case "segdi", "segsi", "segedi", "segesi", "segrdi", "segrsi" ->
              parts[1] + ":" + parts[0].substring(3);
          case "fb16", "fb32" -> number(parts[1], 16) + ":" + number(parts[2], 32);
          case "nb16", "nb32", "nb64" -> "to " + number(parts[1], size.bits());
          case "i8", "i8_2nd" -> number(parts[1], 8) + "/8";
          case "i16", "i8to16" -> number(parts[1], 16) + "/16";
          case "i32", "i8to32" -> number(parts[1], 32) + "/32";
          default -> number(parts[1], 64) + "/64";
        };
  }

  /** m;segment;base;index;scale;displacement;its size;type. */
  private String memory(String[] parts) {
    String base = parts[2];
    long displacement = Long.parseUnsignedLong(number(parts[5], 64), 16);
    if (base.endsWith("ip")) {
      displacement -= address + instruction.length();
    }
    return memory(parts[1], base, parts[3], Integer.parseInt(parts[4]), displacement);
  }

  private String memory(String segment, String base, String index, int scale, long displacement) {
    return segment
        + ":"
        + base
        + "+"
        + (index.isEmpty() ? "" : index + "*" + scale)
        + "+"
        + number(Long.toUnsignedString(displacement), instruction.addressSize());
  }

  private static String number(String text, int bits) {
    boolean negative = text.startsWith("-");
    String digits = negative ? text.substring(1) : text;
    long value =
        digits.startsWith("0x")
            ? Long.parseUnsignedLong(digits.substring(2), 16)
            : Long.parseUnsignedLong(digits);
    long signed = negative ? -value : value;
    return Long.toHexString(bits == 64 ? signed : signed & (1L << bits) - 1);
  }

  private Set<String> ours() {
    List<String> words = new ArrayList<>();
    for (int i = 0; i < operands.count(); i++) {
      words.add("op" + i + "=" + ours(operands.get(i)));
    }
    operands.mask().ifPresent(mask -> words.add(mask.toString()));
    addIf(operands.isZeroing(), "zmsk", words);
    addIf(operands.list().stream().anyMatch(SharedOperandsTest::isBroadcast), "bcst", words);
    addIf(operands.rounding() == Rounding.SAE, "sae", words);
    if (operands.rounding().text().contains("-")) {
      words.add("rc-" + operands.rounding().text().substring(0, 2));
    }
    addIf(operands.has(InstructionPrefix.LOCK), "lock", words);
    addIf(operands.has(InstructionPrefix.XACQUIRE), "xacquire", words);
    addIf(operands.has(InstructionPrefix.XRELEASE), "xrelease", words);
    return Set.copyOf(words);
  }

  private static void addIf(boolean condition, String word, List<String> words) {
    if (condition) {
      words.add(word);
    }
  }

  private static boolean isBroadcast(Operand operand) {
    return operand instanceof Operand.InMemory memory && memory.broadcast() > 0;
  }

  private String ours(Operand operand) {
    return switch (operand) {
      case Operand.InRegister in -> in.register().toString().replaceAll("[()]", "");
      case Operand.Immediate value ->
          number(Long.toUnsignedString(value.value()), value.bits()) + "/" + value.bits();
      case Operand.Relative _ ->
          "to "
              + Long.toHexString(
                  instruction.branchTarget(size == CodeSize.BITS64 ? HIGH_ADDRESS : ADDRESS_32));
      case Operand.Far far ->
          Integer.toHexString(far.segment()) + ":" + Long.toHexString(far.offset());
      case Operand.InMemory memory -> ours(memory);
    };
  }

  private String ours(Operand.InMemory memory) {
    String base = name(memory.base());
    String segment = memory.segment().toString();
    boolean string = instruction.modRmOffset() < 0 && memory.base().isPresent();
    return string
        ? segment + ":" + base
        : memory(segment, base, name(memory.index()), memory.scale(), memory.displacement());
  }

  private static String name(Optional<Register> register) {
    return register.map(Register::toString).orElse("");
  }

  private static List<String> lines(String table) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    return new String(TestData.gunzip("pe/x86/" + table + ".txt.gz"), StandardCharsets.UTF_8)
        .lines()
        .toList();
  }
}
