package io.ntrail.cli.stacks;

import io.ntrail.programs.unwind.FrameRegisters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Registers of frames by name. */
final class RegisterText {
  private static final List<String> NAMES = List.of("ax", "cx", "dx", "bx", "sp", "bp", "si", "di");

  /** Numbers in the order in which people list them. */
  private static final int[] ORDER = {0, 3, 1, 2, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

  /** Registers in a line. */
  private static final int A_LINE = 4;

  private RegisterText() {}

  /** Returns the known values by name, the instruction pointer first. */
  static Map<String, Long> values(FrameRegisters registers) {
    boolean wide = registers.is64Bit();
    Map<String, Long> values = new LinkedHashMap<>();
    values.put(wide ? "rip" : "eip", registers.ip());
    for (int number : ORDER) {
      if (number < registers.count() && registers.isKnown(number)) {
        values.put(name(number, wide), registers.get(number));
      }
    }
    return values;
  }

  private static String name(int number, boolean wide) {
    return number >= NAMES.size() ? "r" + number : (wide ? "r" : "e") + NAMES.get(number);
  }

  /**
   * Returns the known values in lines.
   *
   * @param isAll whether instruction pointer and stack pointer are among them
   */
  static List<String> lines(FrameRegisters registers, boolean isAll) {
    Map<String, Long> values = values(registers);
    if (!isAll) {
      values.keySet().removeIf(name -> name.endsWith("ip") || name.endsWith("sp"));
    }
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    int count = 0;
    for (Map.Entry<String, Long> value : values.entrySet()) {
      line.append(line.isEmpty() ? "" : "  ")
          .append("%3s=".formatted(value.getKey()))
          .append(StackRow.pointer(value.getValue(), registers.is64Bit()).substring(2));
      if (++count % A_LINE == 0) {
        lines.add(line.toString());
        line.setLength(0);
      }
    }
    if (!line.isEmpty()) {
      lines.add(line.toString());
    }
    return lines;
  }
}
