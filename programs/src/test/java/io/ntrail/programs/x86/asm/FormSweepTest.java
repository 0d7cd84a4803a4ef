package io.ntrail.programs.x86.asm;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.BranchTarget;
import io.ntrail.programs.x86.asm.operands.ControlRegister;
import io.ntrail.programs.x86.asm.operands.Gpr;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg8;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  /** Differences of nasm's encodings, with the reason. */
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

  /** The top of the x87 stack twice: two opcodes say it, and we take the first. */
  private static final Pattern TOP_OF_STACK = Pattern.compile("f\\w+ st0, st0");

  /** nasm 2.16 counts displacements in units twice as small, and mixes up opcodes. */
  private static final Pattern HALF_PRECISION =
      Pattern.compile("v\\w*(ph|sh|ph2\\w+|sh2\\w+|phx|movw)\\b.*");

  private static final Set<Prefix> NOT_OF_NASM =
      EnumSet.of(Prefix.NOTRACK, Prefix.TAKEN, Prefix.NOT_TAKEN, Prefix.OTHER_ADDRESS_SIZE);

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
    for (int t = 0; t < FormTable.TABLES; t++) {
      FormTable table = FormTable.at(size, t);
      for (String mnemonic : new TreeSet<>(table.mnemonics())) {
        for (InstructionForm form : table.forms(mnemonic)) {
          for (int i = 0; i < EACH; i++) {
            AssemblerOperand[] operands = random.forForm(form);
            if (!isHighBesideRex(operands) && !FormMatcher.isSame(form, operands)) {
              Modifiers modifiers = forNasm(random.modifiers(size, form, operands));
              all.add(written(modifiers, form, unsized(modifiers, form, wide, operands, i)));
            }
          }
        }
      }
    }
    return all;
  }

  private static Written written(
      Modifiers modifiers, InstructionForm form, AssemblerOperand... operands) {
    String name = form.mnemonic();
    Written.Call call = (a, address) -> a.modified(modifiers).op(name, at(address, operands));
    String text = NASM_NAMES.getOrDefault(name, name);
    return new Written(NasmText.of(modifiers, form, text, operands), call, flow(form, operands));
  }

  /** Without prefixes that nasm has no words for. */
  private static Modifiers forNasm(Modifiers modifiers) {
    Set<Prefix> prefixes = new TreeSet<>(modifiers.prefixes());
    prefixes.removeAll(NOT_OF_NASM);
    return new Modifiers(prefixes, modifiers.mask(), modifiers.zeroing(), modifiers.rounding());
  }

  private static boolean isKnown(Written written) {
    return OTHERWISE.containsKey(written.text().split(" ", 2)[0])
        || SEGMENT.matcher(written.text()).matches()
        || TOP_OF_STACK.matcher(written.text()).matches()
        || HALF_PRECISION.matcher(written.text()).matches();
  }

  /** Without the sizes of memory where the other operands say enough, every second time. */
  private static AssemblerOperand[] unsized(
      Modifiers modifiers,
      InstructionForm form,
      boolean wide,
      AssemblerOperand[] operands,
      int round) {
    AssemblerOperand[] without = operands.clone();
    for (int i = 0; i < without.length; i++) {
      if (without[i] instanceof Mem m && !m.isFar()) {
        without[i] = m.as(0);
      }
    }
    try {
      Assembler assembler = wide ? Assembler.x64() : Assembler.ia32();
      assembler.modified(modifiers).op(form.mnemonic(), without);
      return round % 2 == 0 ? operands : without;
    } catch (IllegalArgumentException e) {
      return operands;
    }
  }

  private static String flow(InstructionForm form, AssemblerOperand... operands) {
    if (form.has("flow=mov-cr3")) {
      return operands[0] == ControlRegister.CR3 ? "mov-cr3" : "next";
    }
    for (String attribute : form.attributes()) {
      if (attribute.startsWith("flow=")) {
        return attribute.substring("flow=".length());
      }
    }
    return "next";
  }

  /** Targets outside are drawn as distances, because where the instruction lies is known later. */
  static AssemblerOperand[] at(long address, AssemblerOperand[] operands) {
    AssemblerOperand[] placed = operands.clone();
    for (int i = 0; i < placed.length; i++) {
      if (placed[i] instanceof BranchTarget t) {
        placed[i] = BranchTarget.of(address + t.address(), t.bytes());
      }
    }
    return placed;
  }

  static boolean isHighBesideRex(AssemblerOperand[] operands) {
    boolean high = false;
    boolean rex = false;
    for (AssemblerOperand operand : operands) {
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
