package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Registers, memory and flags against the tables of another decoder, whose rows have words such as
 * {@code fw=oszacp r=rcx w=rax rwm=ds:rax;UInt64}.
 */
class SharedEffectsTest {
  private static final Pattern RANGE = Pattern.compile("([a-z]+)(\\d+)-\\1(\\d+)");

  /** Displacements are compared with the operands. */
  private static final Pattern DISPLACEMENT =
      Pattern.compile("(\\+|(?<=:))(0x)?0*[1-9A-F][0-9A-F]*$");

  /** They say how much of a register these use, we which operand it is. */
  private static final Pattern NARROWER =
      Pattern.compile(
          "arpl|bextr|bzhi|incssp[dq]|lar|lea|lkgs|lldt|lmsw|lsl|ltr|v?pinsr[bw]|sarx|shlx"
              + "|shrx|tpause|umwait|ver[rw]|vmovw|vpbroadcast[bw]");

  /**
   * Differences on purpose: outer levels of ENTER are not said, nor what IRET takes from the stack
   * of an outer ring; LLWPCB takes any segment; all registers are written by SKINIT, with their
   * names; tiles have an index; AL of XLAT is an operand of its own; random numbers of Padlock
   * without REP; rotations by 9 and 17 that leave everything as it was.
   */
  private static final Set<String> STATED =
      Set.of(
          "enter",
          "iret",
          "iretd",
          "llwpcb",
          "skinit",
          "tileloadd",
          "tileloaddt1",
          "tilestored",
          "xlatb",
          "xstore",
          "xstore_alt",
          "rcl",
          "rcr");

  private static final Map<Access, List<String>> WORDS =
      Map.of(
          Access.READ, List.of("r"),
          Access.WRITE, List.of("w"),
          Access.READ_WRITE, List.of("r", "w"),
          Access.MAY_READ, List.of("cr"),
          Access.MAY_WRITE, List.of("cw"),
          Access.READ_MAY_WRITE, List.of("r", "cw"));

  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();
  private int bits;
  private boolean narrower;

  @ParameterizedTest
  @CsvSource({"64, 10230", "32, 791"})
  void effectsAreThoseOfTheTable(int codeSize, int rows) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    bits = codeSize;
    String table = "pe/x86/iced-InstructionInfo-InstructionInfoTest_" + bits + ".txt.gz";
    String text = new String(TestData.gunzip(table), StandardCharsets.UTF_8);
    List<String> differences = new ArrayList<>();
    int count = 0;
    for (String row : text.lines().toList()) {
      if (row.isBlank() || row.startsWith("#") || asksForAnOption(row)) {
        continue;
      }
      String[] columns = row.split(",", 5);
      byte[] code = HexFormat.of().parseHex(columns[0].replace(" ", ""));
      CpuVendor vendor = row.contains("decopt=AMD") ? CpuVendor.AMD : CpuVendor.INTEL;
      InstructionDecoder decoder = InstructionDecoder.of(CodeSize.valueOf("BITS" + bits), vendor);
      decoder.decode(Bytes.copyOf(code, row), 0, code.length, instruction);
      if (!OperandReader.of(decoder).read(instruction, operands)
          || STATED.contains(operands.mnemonic())
          // Addresses of RIP-relative memory; segments that mean nothing in 64-bit code.
          || instruction.isRipRelative()
          || bits == 64 && columns[0].matches("(26|2E|36|3E) .*")) {
        continue;
      }
      count++;
      narrower =
          NARROWER.matcher(operands.mnemonic()).matches()
              || columns[1].trim().startsWith("Mov_Sreg_");
      Set<String> theirs = theirs(columns[4].trim());
      Set<String> ours = ours();
      if (!theirs.equals(ours)) {
        differences.add(row + ": " + ours);
      }
    }
    assertEquals(List.of(), differences);
    assertEquals(rows, count);
  }

  private static boolean asksForAnOption(String row) {
    return row.contains("special")
        || row.contains("decopt=") && !row.matches(".*decopt=(AMD|MPX)( .*)?");
  }

  private Set<String> theirs(String words) {
    Set<String> result = new TreeSet<>();
    for (String word : words.split(" ", -1)) {
      int equals = word.indexOf('=');
      String key = equals < 0 ? "" : word.substring(0, equals);
      String value = word.substring(equals + 1);
      if (key.matches("f[rwcsu]")) {
        value.chars().forEach(letter -> result.add(key + "=" + (char) letter));
      } else if (key.matches("[rwc]+m")) {
        String place = value.replaceFirst("[|;].*", "");
        add(result, key.substring(0, key.length() - 1), "m=" + stack(place));
      } else if (key.matches("[rwc]+")) {
        registers(value).forEach(register -> add(result, key, "=" + register));
      }
    }
    result.add(x87Stack(words));
    // What descriptors of enclaves lie in is not said.
    if (operands.mnemonic().matches("encl[suv]|pconfig")) {
      result.remove("cr=ds");
    }
    return result;
  }

  private static String x87Stack(String words) {
    if (words.contains("fpu-cond")) {
      return "MAY_PUSH";
    }
    if (words.contains("fpu-writes-top")) {
      return "SET";
    }
    return words.contains("fpu-inc=-1")
        ? "PUSH"
        : words.contains("fpu-inc=2")
            ? "POP_TWICE"
            : words.contains("fpu-inc=1") ? "POP" : "UNMOVED";
  }

  private List<String> registers(String text) {
    List<String> names = new ArrayList<>();
    for (String name : text.split(";", -1)) {
      Matcher range = RANGE.matcher(name);
      if (range.matches()) {
        for (int i = Integer.parseInt(range.group(2)); i <= Integer.parseInt(range.group(3)); i++) {
          names.add(range.group(1) + i);
        }
      } else {
        names.add(name);
      }
    }
    names.replaceAll(name -> whole(stack(name).replaceFirst("^vmm", "zmm")));
    return names;
  }

  private String stack(String text) {
    String prefix = bits == 64 ? "r" : "e";
    String name = text.replace("xsp", prefix + "sp").replace("xbp", prefix + "bp");
    return DISPLACEMENT.matcher(name).replaceFirst("");
  }

  private static void add(Set<String> words, String access, String rest) {
    switch (access) {
      case "rw" -> {
        words.add("r" + rest);
        words.add("w" + rest);
      }
      case "rcw" -> {
        words.add("r" + rest);
        words.add("cw" + rest);
      }
      default -> words.add(access + rest);
    }
  }

  private String whole(String name) {
    if (!narrower) {
      return name;
    }
    for (RegisterClass type : RegisterClass.values()) {
      for (int number = 0; number < type.count(); number++) {
        Register register = Register.of(type, number);
        if (name(register).equals(name)) {
          return register.whole().toString();
        }
      }
    }
    return name;
  }

  private static String name(Register register) {
    String name = register.toString().replaceAll("[()]", "");
    return name.matches("r\\d+b") ? name.replace('b', 'l') : name;
  }

  private Set<String> ours() {
    Effects effects = Effects.of(instruction, operands);
    Set<String> result = new TreeSet<>();
    for (Effects.RegisterUse use : effects.registers()) {
      String name = whole(name(use.register()));
      WORDS
          .getOrDefault(use.access(), List.of())
          .forEach(access -> result.add(access + "=" + name));
    }
    for (Effects.MemoryUse use : effects.memory()) {
      String place = place(use.memory());
      WORDS
          .getOrDefault(use.access(), List.of())
          .forEach(access -> result.add(access + "m=" + place));
    }
    Set<String> all = Set.copyOf(result);
    result.removeIf(word -> word.startsWith("cr=") && all.contains(word.substring(1)));
    result.add(effects.x87Stack().toString());
    // That a push writes is said there in the number alone.
    if (effects.x87Stack() == X87Stack.PUSH && !operands.mnemonic().equals("fxtract")) {
      result.remove("w=st0");
    }
    flags("fr", effects.flagsRead(), result);
    flags("fw", effects.flagsWritten(), result);
    flags("fc", effects.flagsCleared(), result);
    flags("fs", effects.flagsSet(), result);
    flags("fu", effects.flagsUndefined(), result);
    return result;
  }

  private static String place(Operand.InMemory memory) {
    String base = memory.base().map(Register::toString).orElse("");
    String index =
        memory
            .index()
            .map(register -> register + (memory.scale() > 1 ? "*" + memory.scale() : ""))
            .orElse("");
    String plus = base.isEmpty() || index.isEmpty() ? "" : "+";
    return memory.segment() + ":" + base + plus + index;
  }

  private static void flags(String key, Set<Flag> flags, Set<String> into) {
    flags.forEach(flag -> into.add(key + "=" + Flag.LETTERS.charAt(flag.ordinal())));
  }
}
