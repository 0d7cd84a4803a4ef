package io.ntrail.analysis.x86.asm;

import java.util.Locale;

/** Operands in the syntax of nasm. */
final class NasmText {
  private NasmText() {}

  static String of(String mnemonic, Operand... operands) {
    StringBuilder text = new StringBuilder(mnemonic.toLowerCase(Locale.ROOT));
    String separator = " ";
    for (Operand operand : operands) {
      text.append(separator);
      if (operand instanceof Target target && hasTwoLengths(mnemonic)) {
        text.append(target.bytes() == 1 ? "short " : "near ");
      }
      text.append(of(operand));
      separator = ", ";
    }
    return text.toString();
  }

  private static boolean hasTwoLengths(String mnemonic) {
    return mnemonic.startsWith("J") && !mnemonic.endsWith("CXZ");
  }

  static String of(Operand operand) {
    return switch (operand) {
      case Register register -> register.toString().toLowerCase(Locale.ROOT);
      case Mem m -> memory(m);
      case Imm imm -> Long.toString(imm.value());
      case Target target -> "$+" + target.address();
      case Label label -> label.name();
    };
  }

  private static String memory(Mem m) {
    StringBuilder text = new StringBuilder(size(m.bits())).append('[');
    if (m.segment() != null) {
      text.append(of(m.segment())).append(':');
    }
    if (m.isRipRelative()) {
      text.append("rel $$+").append(m.displacement() - RandomOperands.BASE).append(']');
      return text.toString();
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
    return text.append(']').toString();
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
      default -> throw new IllegalArgumentException("size " + bits);
    };
  }
}
