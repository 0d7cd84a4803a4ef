package io.ntrail.programs.x86;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Effects of instructions, ours and those of Zydis, as one text: whole registers with r, w (for
 * sure), R, W (maybe); memory with the same; flags.
 */
final class ZydisEffects {
  /** Registers that we do not speak of. */
  private static final Set<String> OTHERS =
      Set.of("rip", "eip", "ip", "rflags", "eflags", "flags", "mxcsr", "x87status", "x87control");

  private static final Set<String> SEGMENTS = Set.of("es", "cs", "ss", "ds", "fs", "gs");

  private static final int[] CPU = {0, 2, 4, 6, 7, 11, 10, 9, 18};
  private static final Map<String, String> WHOLE = whole();

  private ZydisEffects() {}

  private static Map<String, String> whole() {
    Map<String, String> whole = new HashMap<>();
    for (RegisterClass type : RegisterClass.values()) {
      for (int number = 0; number < type.count(); number++) {
        Register register = Register.of(type, number);
        whole.put(ZydisLine.name(register), ZydisLine.name(register.whole()));
      }
    }
    return whole;
  }

  /** The name of the register that one is a part of. */
  static String whole(String name) {
    return WHOLE.getOrDefault(name, name);
  }

  /** A hexadecimal digit of theirs; the address of memory is read, too. */
  static String theirs(String[] columns) {
    Map<String, Integer> uses = new TreeMap<>();
    List<String> memory = new ArrayList<>();
    String[] shown = columns[4].trim().split(" ", -1);
    for (int i = 0; i < columns[6].length(); i++) {
      use(Character.digit(columns[6].charAt(i), 16), shown[i], uses, memory);
    }
    for (String hidden : columns[7].trim().split(" ", -1)) {
      if (!hidden.isEmpty()) {
        use(Character.digit(hidden.charAt(0), 16), hidden.substring(1), uses, memory);
      }
    }
    int mask = columns[3].startsWith("k") ? 1 : 0;
    if (mask != 0) {
      add(uses, columns[3].substring(0, 2), 1);
    }
    memory.sort(null);
    String[] flags = columns[8].split(" ", -1);
    StringBuilder text = new StringBuilder();
    for (int kind = 0; kind < 5; kind++) {
      int cpu = Integer.parseInt(flags[kind], 16);
      int fpu = Integer.parseInt(flags[kind + 5], 16);
      text.append("rwcsu".charAt(kind)).append('=');
      for (int i = 0; i < CPU.length; i++) {
        text.append((cpu >> CPU[i] & 1) != 0 ? Flag.LETTERS.substring(i, i + 1) : "");
      }
      for (int i = 0; i < 4; i++) {
        text.append((fpu >> i & 1) != 0 ? Integer.toString(i) : "");
      }
      text.append(' ');
    }
    return text(uses) + memory + " " + text;
  }

  private static void use(
      int actions, String operand, Map<String, Integer> uses, List<String> memory) {
    String[] parts = operand.split(":", -1);
    switch (parts[0]) {
      case "r" -> add(uses, parts[1], actions);
      case "m" -> {
        add(uses, parts[3], 1);
        add(uses, parts[4], 1);
        if (!parts[2].isEmpty() && actions != 0) {
          memory.add(letters(actions) + ":" + parts[2] + ":" + parts[3] + parts[4]);
        }
      }
      default -> {}
    }
  }

  private static void add(Map<String, Integer> uses, String register, int actions) {
    if (!register.isEmpty() && !OTHERS.contains(register) && !SEGMENTS.contains(register)) {
      uses.merge(WHOLE.getOrDefault(register, register), actions, (a, b) -> a | b);
    }
  }

  private static String letters(int actions) {
    return ((actions & 1) != 0 ? "r" : (actions & 4) != 0 ? "R" : "")
        + ((actions & 2) != 0 ? "w" : (actions & 8) != 0 ? "W" : "");
  }

  private static String text(Map<String, Integer> uses) {
    StringBuilder text = new StringBuilder();
    uses.forEach((register, actions) ->
        text.append(register).append(' ').append(letters(actions)).append(", "));
    return text.toString();
  }

  private static int actions(Access access) {
    return switch (access) {
      case READ -> 1;
      case WRITE -> 2;
      case READ_WRITE -> 3;
      case MAY_READ -> 4;
      case MAY_WRITE -> 8;
      case READ_MAY_WRITE -> 9;
      default -> 0;
    };
  }

  static String ours(Effects effects) {
    Map<String, Integer> uses = new TreeMap<>();
    for (Effects.RegisterUse use : effects.registers()) {
      add(uses, ZydisLine.name(use.register()), actions(use.access()));
    }
    List<String> memory = new ArrayList<>();
    for (Effects.MemoryUse use : effects.memory()) {
      Operand.InMemory m = use.memory();
      memory.add(
          letters(actions(use.access()))
              + ":"
              + m.segment()
              + ":"
              + m.base().map(ZydisLine::name).orElse("")
              + m.index().map(ZydisLine::name).orElse(""));
    }
    memory.sort(null);
    return text(uses)
        + memory
        + " r="
        + flags(effects.flagsRead())
        + " w="
        + flags(effects.flagsWritten())
        + " c="
        + flags(effects.flagsCleared())
        + " s="
        + flags(effects.flagsSet())
        + " u="
        + flags(effects.flagsUndefined())
        + " ";
  }

  private static String flags(Set<Flag> flags) {
    StringBuilder text = new StringBuilder();
    for (Flag flag : Flag.values()) {
      if (flags.contains(flag)) {
        text.append(Flag.LETTERS.charAt(flag.ordinal()));
      }
    }
    return text.toString();
  }
}
