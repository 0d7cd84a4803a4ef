package io.ntrail.analysis.x86.asm;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.x86.CodeSize;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every form of the list that can be written, with random operands, against nasm. */
class FormSweepTest {
  private static final int EACH = Boolean.getBoolean("ntrail.long") ? 40 : 4;

  /** Mnemonics that mean something else to nasm than to the manuals. */
  private static final Map<String, String> NASM_NAMES =
      Map.of(
          "PUSHF", "pushfw", "POPF", "popfw", "PUSHA", "pushaw", "POPA", "popaw", "IRET", "iretw");

  private static final String NASM_IS_WRONG = "nasm 2.16 writes something else";
  private static final String EVEX = "nasm takes the longer EVEX form";
  private static final String W = "nasm sets or leaves out a W bit that means nothing";
  private static final String PREFIX = "nasm leaves out an operand size prefix that means nothing";
  private static final String SYMMETRIC = "the two registers are in each other's place";

  /** Where nasm writes something else, and why. */
  private static final Map<String, String> OTHERWISE =
      Map.ofEntries(
          Map.entry("ptwrite", NASM_IS_WRONG),
          Map.entry("vmgexit", NASM_IS_WRONG),
          Map.entry("vcvtneps2bf16", NASM_IS_WRONG),
          Map.entry("vextractps", EVEX),
          Map.entry("vpmadd52luq", EVEX),
          Map.entry("vpmadd52huq", EVEX),
          Map.entry("vpdpbusd", EVEX),
          Map.entry("vpdpbusds", EVEX),
          Map.entry("vpdpwssd", EVEX),
          Map.entry("vpdpwssds", EVEX),
          Map.entry("enqcmd", W),
          Map.entry("enqcmds", W),
          Map.entry("invpcid", W),
          Map.entry("pextrb", W),
          Map.entry("pextrw", W),
          Map.entry("sldt", W),
          Map.entry("vmovmskps", W),
          Map.entry("vmovmskpd", W),
          Map.entry("vpextrb", W),
          Map.entry("vpextrw", W),
          Map.entry("vpmovmskb", W),
          Map.entry("arpl", PREFIX),
          Map.entry("lldt", PREFIX),
          Map.entry("lmsw", PREFIX),
          Map.entry("ltr", PREFIX),
          Map.entry("verr", PREFIX),
          Map.entry("verw", PREFIX),
          Map.entry("xchg", SYMMETRIC));

  /** Moves of segment registers: a prefix or a W bit that means nothing. */
  private static final Pattern SEGMENT = Pattern.compile("mov .*\\b[d-gs]s(,.*|$)");

  @TempDir Path folder;

  @Test
  void everyFormOf64BitCodeIsWrittenAsNasmWritesIt() throws Exception {
    sweep(CodeSize.BITS64);
  }

  @Test
  void everyFormOf32BitCodeIsWrittenAsNasmWritesIt() throws Exception {
    sweep(CodeSize.BITS32);
  }

  @Test
  void everyFormIsReadBackWithItsLengthAndItsFlow() {
    AgainstNasm.readBack(true, draw(CodeSize.BITS64, 8)).assertSame();
    AgainstNasm.readBack(false, draw(CodeSize.BITS32, 9)).assertSame();
  }

  private void sweep(CodeSize size) throws Exception {
    assumeTrue(Nasm.TOOL.available(), Nasm.TOOL.missing());
    assumeTrue(Disassembly.TOOL.available(), Disassembly.TOOL.missing());
    boolean wide = size == CodeSize.BITS64;
    List<Written> all = draw(size, 7);
    AgainstNasm result = AgainstNasm.compare(folder, wide, all, FormSweepTest::isKnown);
    result.assertSame();
    assertTrue(result.equal() > 6_000, result.toString());
  }

  private static List<Written> draw(CodeSize size, int seed) {
    boolean wide = size == CodeSize.BITS64;
    RandomOperands random = new RandomOperands(new SplittableRandom(seed), wide);
    List<Written> all = new ArrayList<>();
    for (FormTable table : List.of(FormTable.basic(size), FormTable.extensions(size))) {
      for (String mnemonic : new TreeSet<>(table.mnemonics())) {
        for (Form form : table.forms(mnemonic)) {
          for (int i = 0; i < EACH; i++) {
            Operand[] operands = unsized(mnemonic, wide, random.forForm(form), i);
            String text = NASM_NAMES.getOrDefault(mnemonic, mnemonic);
            Written.Call call = (a, address) -> a.op(mnemonic, at(address, operands));
            Written written = new Written(NasmText.of(text, operands), call, flow(form));
            if (!isHighBesideRex(operands)) {
              all.add(written);
            }
          }
        }
      }
    }
    return all;
  }

  private static boolean isKnown(Written written) {
    return OTHERWISE.containsKey(written.text().split(" ", 2)[0])
        || SEGMENT.matcher(written.text()).matches();
  }

  /** Without the sizes of memory where the other operands say enough, every second time. */
  private static Operand[] unsized(String mnemonic, boolean wide, Operand[] operands, int round) {
    Operand[] without = operands.clone();
    for (int i = 0; i < without.length; i++) {
      if (without[i] instanceof Mem m) {
        without[i] = m.as(0);
      }
    }
    try {
      Assembler assembler = wide ? Assembler.x64() : Assembler.ia32();
      assembler.op(mnemonic, without);
      return round % 2 == 0 ? operands : without;
    } catch (IllegalArgumentException e) {
      return operands;
    }
  }

  private static String flow(Form form) {
    for (String attribute : form.attributes()) {
      if (attribute.startsWith("flow=")) {
        return attribute.substring("flow=".length());
      }
    }
    return "next";
  }

  /** Targets outside are drawn as distances, because where the instruction lies is known later. */
  static Operand[] at(long address, Operand[] operands) {
    Operand[] placed = operands.clone();
    for (int i = 0; i < placed.length; i++) {
      if (placed[i] instanceof Target t) {
        placed[i] = Target.of(address + t.address(), t.bytes());
      }
    }
    return placed;
  }

  static boolean isHighBesideRex(Operand[] operands) {
    boolean high = false;
    boolean rex = false;
    for (Operand operand : operands) {
      high |= operand instanceof Reg8 r && r.isHigh();
      rex |=
          switch (operand) {
            case Reg8 r -> r.needsRex() || r.number() > 7;
            case Gpr<?> r -> r.bits() == 64 || r.number() > 7;
            case Mem m ->
                (m.base() != null && m.base().number() > 7)
                    || (m.index() != null && m.index().number() > 7);
            default -> false;
          };
    }
    return high && rex;
  }
}
