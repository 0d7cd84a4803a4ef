package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.IntelSyntax;
import io.ntrail.programs.x86.Operand;
import io.ntrail.programs.x86.Operands;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * Meaning of a decoded instruction, as text that is equal for equal meanings: {@code [eax*2]} and
 * {@code [eax+eax]} are one address, and in 64-bit code ds and ss are one segment.
 */
final class Meaning {
  private Meaning() {}

  /** The whole instruction, at an address. */
  static String of(CodeSize size, Instruction instruction, Operands operands, long address) {
    // Prefixes, masks, rounding and hidden segments are in the text.
    String text = IntelSyntax.text(instruction, operands, address);
    boolean wide = size == CodeSize.BITS64;
    if (text.matches("xchg (ax, ax|eax, eax|rax, rax)") && !(wide && text.endsWith("eax"))) {
      return "nop";
    }
    StringBuilder result = new StringBuilder(text.replaceAll("\\w*:?\\[[^]]*]", "[]"));
    for (Operand operand : operands.list()) {
      long behind = address + instruction.length();
      result.append(" | ").append(of(size, instruction.addressSize(), operand, behind));
    }
    return result.toString();
  }

  private static String of(CodeSize size, int addressBits, Operand operand, long behind) {
    return switch (operand) {
      case Operand.InMemory m -> {
        boolean relative = m.base().filter(base -> base.toString().endsWith("ip")).isPresent();
        yield memory(size, addressBits, m, relative ? behind : 0);
      }
      // The target is in the text.
      case Operand.Relative _ -> "target";
      // Whether a number has a sign is not said where it is as wide as the operation.
      case Operand.Immediate number ->
          Immediates.signExtended(number.value(), number.bits()) + " of " + number.bits();
      default -> operand.toString();
    };
  }

  /**
   * Memory.
   *
   * @param more what is added to the displacement
   */
  static String memory(CodeSize size, int addressBits, Operand.InMemory m, long more) {
    TreeMap<String, Integer> registers = new TreeMap<>();
    m.base().ifPresent(base -> registers.merge(base.toString(), 1, Integer::sum));
    m.index().ifPresent(index -> registers.merge(index.toString(), m.scale(), Integer::sum));
    String segment = m.segment().toString();
    boolean counts = size != CodeSize.BITS64 || segment.equals("fs") || segment.equals("gs");
    String repeated = m.broadcast() == 0 ? "" : " times " + m.broadcast();
    return memory(
            8 * m.bytes(),
            counts ? segment : "flat",
            registers,
            Immediates.signExtended(m.displacement() + more, addressBits))
        + repeated;
  }

  /** Memory by its parts: how often each register is added, and the displacement. */
  static String memory(
      int bits, String segment, SequencedMap<String, Integer> registers, long displacement) {
    return "memory of " + bits + " bits " + segment + ":" + registers + " " + displacement;
  }
}
