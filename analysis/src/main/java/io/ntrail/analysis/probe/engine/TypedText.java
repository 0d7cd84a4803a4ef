package io.ntrail.analysis.probe.engine;

import io.ntrail.analysis.probe.types.StructType;
import io.ntrail.analysis.probe.types.Type;
import java.util.ArrayList;
import java.util.List;

/** Values with their types, members and elements, as print() shows them. */
final class TypedText {
  private static final int INDENT = 4;

  private TypedText() {}

  /** Returns the type and the value. */
  static String of(Value value, Run run) {
    Type type = value.type();
    if (value.isText()) {
      return type.text() + " " + quoted(value.string(run));
    }
    if (type instanceof Type.Code) {
      return String.valueOf(value.object().get(run));
    }
    long number = value.number().get(run);
    return type.text() + " " + (isInMemory(type) ? at(type, number, run, 0) : scalar(type, number));
  }

  private static boolean isInMemory(Type type) {
    return type instanceof StructType || type instanceof Type.Array;
  }

  private static String quoted(String text) {
    return "\"" + text + "\"";
  }

  private static String scalar(Type type, long number) {
    if (type instanceof Type.Integral integral) {
      String name = integral.names().get(integral.cut(number));
      if (name != null) {
        return name;
      }
    }
    long cut = type.size() >= 8 ? number : number & (1L << 8 * Math.max(1, type.size())) - 1;
    return cut == 0 ? "0" : "0x" + Long.toHexString(cut);
  }

  /** Returns the value that lies at an address. */
  private static String at(Type type, long address, Run run, int indent) {
    return switch (type) {
      case StructType struct -> members(struct, address, run, indent);
      case Type.Array array -> elements(array, address, run, indent);
      case Type.Text _ -> quoted(run.memory().text(address, type.size()));
      default -> scalar(type, run.memory().number(address, Math.max(1, type.size()), false));
    };
  }

  private static String members(StructType struct, long address, Run run, int indent) {
    StringBuilder text = new StringBuilder("{\n");
    String blanks = " ".repeat(indent + INDENT);
    for (StructType.Member member : struct.members()) {
      long place = address + member.offset();
      text.append(blanks).append(member.type().text()).append(' ').append(member.name());
      if (member.bits() > 0) {
        long whole = run.memory().number(place, member.type().size(), false);
        long bits = whole >>> member.shift() & -1L >>> Long.SIZE - member.bits();
        text.append(" :").append(member.bits()).append(" = ");
        text.append(bits == 0 ? "0" : "0x" + Long.toHexString(bits));
      } else {
        text.append(" = ").append(at(member.type(), place, run, indent + INDENT));
      }
      text.append('\n');
    }
    return text.append(" ".repeat(indent)).append('}').toString();
  }

  private static String elements(Type.Array array, long address, Run run, int indent) {
    if (array.of() instanceof Type.Integral one && one.size() == 1 && one.isSigned()) {
      return "[ " + quoted(run.memory().text(address, array.length())) + " ]";
    }
    List<String> all = new ArrayList<>();
    for (int i = 0; i < array.length(); i++) {
      all.add(at(array.of(), address + (long) i * array.of().size(), run, indent));
    }
    return "[ " + String.join(", ", all) + " ]";
  }
}
