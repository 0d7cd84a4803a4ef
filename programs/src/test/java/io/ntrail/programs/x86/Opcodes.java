package io.ntrail.programs.x86;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Candidate forms of bytes: those of their map and opcode. */
final class Opcodes {
  private static final Pattern PREFIX = Pattern.compile("26|2e|36|3e|64|65|66|67|f0|f2|f3");

  private final CodeSize size;
  private final Map<Integer, Set<String>> features = new HashMap<>();

  Opcodes(CodeSize size) {
    this.size = size;
    for (Form form : FormFiles.read()) {
      for (Rule rule : Rule.of(form, size, CpuVendor.INTEL)) {
        features
            .computeIfAbsent(rule.map << 8 | rule.opcode, k -> new HashSet<>())
            .addAll(List.of(form.feature().split("\\+", -1)));
      }
    }
  }

  /** The CPU features of all forms of that map and opcode. */
  Set<String> features(byte[] code) {
    return features.getOrDefault(mapAndOpcode(code), Set.of());
  }

  private int mapAndOpcode(byte[] code) {
    int at = 0;
    while (isPrefix(code[at] & 0xFF)) {
      at++;
    }
    int first = code[at] & 0xFF;
    int second = code[at + 1] & 0xFF;
    return switch (first) {
      case 0x0F ->
          switch (second) {
            case 0x38 -> cell(DecodeTables.MAP_0F38, code[at + 2]);
            case 0x3A -> cell(DecodeTables.MAP_0F3A, code[at + 2]);
            default -> cell(DecodeTables.MAP_0F, code[at + 1]);
          };
      case 0xC5 -> cell(DecodeTables.MAP_VEX + 1, code[at + 2]);
      case 0xC4 -> cell(DecodeTables.MAP_VEX + (second & 7), code[at + 3]);
      case 0x62 -> cell(DecodeTables.MAP_EVEX + (second & 7), code[at + 4]);
      default -> first;
    };
  }

  private static int cell(int map, byte opcode) {
    return map << 8 | opcode & 0xFF;
  }

  private boolean isPrefix(int value) {
    return PREFIX.matcher(String.format("%02x", value)).matches()
        || size == CodeSize.BITS64 && value >> 4 == 4;
  }
}
