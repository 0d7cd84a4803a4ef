package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Rounding;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.BranchTarget;
import io.ntrail.programs.x86.asm.operands.FarPointer;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.RegisterOperand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Operands in the syntax of nasm. */
final class NasmText {
  private static final Pattern NAME = Pattern.compile("\\b[A-Za-z_][A-Za-z_0-9]*\\b");

  /** A label or a cell alone in brackets. */
  private static final Pattern CELL =
      Pattern.compile("\\[((?![re]?[a-ds][xpi]\\b|r\\d|[fg]s)\\w+)([-+]\\w+)*]");

  private static final Pattern TARGET = Pattern.compile("^((?:j\\w+|call) )(0x[0-9a-f]+)");
  private static final Pattern RELATIVE = Pattern.compile("\\[(0x[0-9a-f]+)]");

  private NasmText() {}

  static String of(String mnemonic, AssemblerOperand... operands) {
    return of(Modifiers.NONE, null, mnemonic, operands);
  }

  /** Returns the text with its modifiers; the form selects the masked operand. */
  static String of(
      Modifiers modifiers,
      @Nullable InstructionForm form,
      String mnemonic,
      AssemblerOperand... operands) {
    StringBuilder text = new StringBuilder();
    for (Prefix prefix : modifiers.prefixes()) {
      String name = prefix.name().toLowerCase(Locale.ROOT);
      boolean wide = form != null && form.only() == CodeSize.BITS64;
      text.append(prefix == Prefix.OTHER_ADDRESS_SIZE ? wide ? "a32" : "a16" : name).append(' ');
    }
    text.append(mnemonic.toLowerCase(Locale.ROOT));
    String separator = " ";
    int last = lastRegister(operands);
    for (int i = 0; i < operands.length; i++) {
      AssemblerOperand operand = operands[i];
      text.append(separator);
      if (operand instanceof BranchTarget target && hasTwoLengths(mnemonic)) {
        text.append(target.bytes() == 1 ? "short " : "near ");
      }
      text.append(of(operand));
      if (modifiers.mask() != null
          && form != null
          && form.operands().get(i).has(OperandKind.Mark.MASKED)) {
        text.append('{').append(of(modifiers.mask())).append('}');
        text.append(modifiers.zeroing() ? "{z}" : "");
      }
      if (i == last && modifiers.rounding() != Rounding.NONE) {
        text.append(", {").append(modifiers.rounding().text()).append('}');
      }
      separator = ", ";
    }
    return text.toString();
  }

  private static int lastRegister(AssemblerOperand... operands) {
    int last = operands.length - 1;
    while (last >= 0 && !(operands[last] instanceof RegisterOperand)) {
      last--;
    }
    return last;
  }

  private static boolean hasTwoLengths(String mnemonic) {
    return mnemonic.startsWith("J") && !mnemonic.endsWith("CXZ");
  }

  /**
   * Source text with labels (a line each, ended by a colon) and names for numbers, as lines that
   * can be written one by one; the line of a label becomes empty.
   *
   * @param values what names stand for; where one is an address alone in 64-bit code, an offset
   *     from the beginning
   */
  static List<String> named(String source, boolean wide, Map<String, Long> values) {
    List<String> lines = source.lines().toList();
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).endsWith(":")) {
        names.put(lines.get(i).replace(":", ""), "i" + i);
      }
    }
    values.forEach((name, value) -> names.putIfAbsent(name, Long.toString(value)));
    List<String> result = new ArrayList<>();
    for (String line : lines) {
      String text = line.endsWith(":") ? "" : line;
      text = text.replaceAll("([fg]s):\\[", "[$1:");
      if (wide) {
        Matcher cell = CELL.matcher(text);
        if (cell.find() && values.containsKey(cell.group(1))) {
          text = cell.replaceFirst("[rel \\$\\$+$1]");
        } else if (cell.reset().find()) {
          text = cell.replaceFirst("[rel $1$2]");
        }
      }
      result.add(NAME.matcher(text).replaceAll(m -> names.getOrDefault(m.group(), m.group())));
    }
    return result;
  }

  /** The text of our decoder as nasm wants to read it, for code at an address. */
  static String ofDecoded(String text, boolean wide, long base) {
    String result =
        text.replace(" ptr", "").replaceAll("\\b([d-g]s):\\[", "[$1:").replace("[ds:", "[");
    result = TARGET.matcher(result).replaceAll(m -> m.group(1) + distance(m.group(2), base));
    return wide
        ? RELATIVE.matcher(result).replaceAll(m -> "[rel " + distance(m.group(1), base) + "]")
        : result;
  }

  private static String distance(String address, long base) {
    long distance = Long.decode(address) - base;
    return Matcher.quoteReplacement("$$" + (distance < 0 ? "" : "+") + distance);
  }

  static String of(AssemblerOperand operand) {
    return switch (operand) {
      case RegisterOperand register -> register.toString().toLowerCase(Locale.ROOT);
      case Mem m -> memory(m);
      case Imm imm -> Long.toString(imm.value());
      case FarPointer far -> "dword " + far.segment() + ":" + far.offset();
      case BranchTarget target -> "$+" + target.address();
      case Label label -> label.name();
    };
  }

  private static String memory(Mem m) {
    StringBuilder text = new StringBuilder(m.isFar() ? far(m.bits()) : "");
    // The size of a repeated element is that of the instruction.
    text.append(m.isFar() || m.times() != 0 ? "" : size(m.bits())).append('[');
    if (m.segment() != null) {
      text.append(of(m.segment())).append(':');
    }
    if (m.isRipRelative()) {
      text.append("rel $$+").append(m.displacement() - RandomOperands.BASE).append(']');
      return m.times() == 0 ? text.toString() : text + "{1to" + m.times() + "}";
    }
    if (m.isDirect() && (int) m.displacement() != m.displacement()) {
      text.append("qword ");
    }
    if (m.displacementBytes() != 0) {
      text.append(m.displacementBytes() == 1 ? "byte " : "dword ");
    }
    String plus = "";
    if (m.base() != null) {
      text.append(of(m.base()));
      plus = "+";
    }
    if (m.index() != null) {
      text.append(plus).append(of(m.index())).append('*').append(m.scale());
      plus = "+";
    }
    if (m.displacement() != 0 || plus.isEmpty() || m.displacementBytes() != 0) {
      text.append(m.displacement() < 0 && !plus.isEmpty() ? "" : plus).append(m.displacement());
    }
    text.append(']');
    return m.times() == 0 ? text.toString() : text + "{1to" + m.times() + "}";
  }

  private static String far(int bits) {
    return bits == 32 ? "word far " : bits == 48 ? "dword far " : "qword far ";
  }

  private static String size(int bits) {
    return switch (bits) {
      case 0 -> "";
      case 8 -> "byte ";
      case 16 -> "word ";
      case 32 -> "dword ";
      case 64 -> "qword ";
      case 80 -> "tword ";
      case 128 -> "oword ";
      case 256 -> "yword ";
      case 512 -> "zword ";
      default -> throw new IllegalArgumentException("size " + bits);
    };
  }
}
