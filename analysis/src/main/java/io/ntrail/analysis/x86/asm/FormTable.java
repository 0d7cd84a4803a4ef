package io.ntrail.analysis.x86.asm;

import io.ntrail.analysis.x86.CodeSize;
import io.ntrail.analysis.x86.InstructionDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The forms that exist in code of one size, by mnemonic. Immutable; loaded when first asked for.
 */
final class FormTable {
  // Each table in a class of its own, so that it is read when it is needed and not before.

  private static final class Basic32 {
    private static final FormTable TABLE = new FormTable(CodeSize.BITS32, "legacy", "0f");
  }

  private static final class Basic64 {
    private static final FormTable TABLE = new FormTable(CodeSize.BITS64, "legacy", "0f");
  }

  private static final class Extensions32 {
    private static final FormTable TABLE = new FormTable(CodeSize.BITS32, "0f38", "0f3a", "vex");
  }

  private static final class Extensions64 {
    private static final FormTable TABLE = new FormTable(CodeSize.BITS64, "0f38", "0f3a", "vex");
  }

  private final CodeSize size;
  private final Map<String, List<String>> lines = new HashMap<>();

  /** What has been asked for. Two threads that ask at once get equal forms. */
  private final Map<String, List<Form>> forms = new ConcurrentHashMap<>();

  private FormTable(CodeSize size, String... files) {
    this.size = size;
    for (String file : files) {
      for (String line : text(file).split("\n", -1)) {
        if (!line.isBlank() && line.charAt(0) != '#') {
          lines.computeIfAbsent(mnemonic(line), _ -> new ArrayList<>()).add(line);
        }
      }
    }
  }

  /** The first word of the second column. */
  private static String mnemonic(String line) {
    int begin = line.indexOf('|') + 2;
    int end = begin;
    while (line.charAt(end) != ' ' && line.charAt(end) != '|') {
      end++;
    }
    return line.substring(begin, end);
  }

  /** The table of everybody's instructions in code of one size. */
  static FormTable basic(CodeSize size) {
    return size == CodeSize.BITS64 ? Basic64.TABLE : Basic32.TABLE;
  }

  /** The table of the rest: maps 0F38 and 0F3A, and VEX. */
  static FormTable extensions(CodeSize size) {
    return size == CodeSize.BITS64 ? Extensions64.TABLE : Extensions32.TABLE;
  }

  /** All forms of a mnemonic, in the order of the list; empty if there is none. */
  List<Form> forms(String mnemonic) {
    return forms.computeIfAbsent(mnemonic, this::parse);
  }

  private List<Form> parse(String mnemonic) {
    List<Form> all = new ArrayList<>();
    for (String line : lines.getOrDefault(mnemonic, List.of())) {
      Form.parse(line).filter(form -> form.existsIn(size)).ifPresent(all::add);
    }
    return withoutNarrow(all);
  }

  /** The mnemonics that it knows, with those that exist in code of other sizes only. */
  Set<String> mnemonics() {
    return lines.keySet();
  }

  /**
   * Where no operand says how wide an instruction is, the width of the code is meant: {@code push
   * 5} pushes no 16 bits, though that has a form as well.
   */
  private static List<Form> withoutNarrow(List<Form> forms) {
    boolean hasDefault = forms.stream().anyMatch(f -> f.operandBits() != 16 && !f.showsSize());
    return hasDefault
        ? forms.stream().filter(f -> f.operandBits() != 16 || f.showsSize()).toList()
        : List.copyOf(forms);
  }

  private static String text(String name) {
    String resource = "forms/" + name + ".txt";
    try (InputStream in = InstructionDecoder.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("not in this program: " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
