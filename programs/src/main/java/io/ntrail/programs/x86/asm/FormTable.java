package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.InstructionDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Instruction forms of code of one size, by mnemonic. Immutable; loaded on first use. */
final class FormTable {
  private static final String[] EXTENSIONS = {"0f38", "0f3a", "vex", "xop", "3dnow"};
  private static final String[] EVEX = {
    "evex-0f", "evex-0f38", "evex-0f3a", "evex-map5", "evex-map6"
  };

  // Each table in a class of its own, so that it is read when it is needed and not before.

  private static final class Basic32 {
    private static final FormTable TABLE = new FormTable(CodeSize.BITS32, "legacy", "0f");
  }

  private static final class Basic64 {
    private static final FormTable TABLE = new FormTable(CodeSize.BITS64, "legacy", "0f");
  }

  private static final class Extensions32 {
    private static final FormTable TABLE = new FormTable(CodeSize.BITS32, EXTENSIONS);
  }

  private static final class Extensions64 {
    private static final FormTable TABLE = new FormTable(CodeSize.BITS64, EXTENSIONS);
  }

  private static final class Evex32 {
    private static final FormTable TABLE = new FormTable(CodeSize.BITS32, EVEX);
  }

  private static final class Evex64 {
    private static final FormTable TABLE = new FormTable(CodeSize.BITS64, EVEX);
  }

  /** Number of tables for code of one size. */
  static final int TABLES = 3;

  private record Forms(List<InstructionForm> usual, List<InstructionForm> narrow) {}

  private final CodeSize size;
  private final Map<String, List<String>> lines = new HashMap<>();

  /** Parsed forms. Two threads that parse the same mnemonic at once get equal forms. */
  private final Map<String, Forms> forms = new ConcurrentHashMap<>();

  private final Map<String, Optional<OperandKind>> operandKinds = new ConcurrentHashMap<>();

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

  /** The table of maps 0F38 and 0F3A, VEX, XOP and 3DNow!. */
  static FormTable extensions(CodeSize size) {
    return size == CodeSize.BITS64 ? Extensions64.TABLE : Extensions32.TABLE;
  }

  /** The table of EVEX, that is of AVX-512. */
  static FormTable evex(CodeSize size) {
    return size == CodeSize.BITS64 ? Evex64.TABLE : Evex32.TABLE;
  }

  /** Returns a table by its rank in the search. */
  static FormTable at(CodeSize size, int index) {
    return switch (index) {
      case 0 -> basic(size);
      case 1 -> extensions(size);
      default -> evex(size);
    };
  }

  /**
   * Returns all forms of a mnemonic, in the order of the list; empty if there is none. Where no
   * operand determines the width of an instruction, it is the width of the code: {@code push 5}
   * does not push 16 bits, though that has a form as well.
   */
  List<InstructionForm> forms(String mnemonic) {
    return forms.computeIfAbsent(mnemonic, this::parse).usual;
  }

  /** Returns the forms that have 16 bits though no operand shows it. */
  List<InstructionForm> narrowForms(String mnemonic) {
    return forms.computeIfAbsent(mnemonic, this::parse).narrow;
  }

  private Forms parse(String mnemonic) {
    List<InstructionForm> all = new ArrayList<>();
    for (String line : lines.getOrDefault(mnemonic, List.of())) {
      InstructionForm.parse(line, this::operandKind)
          .filter(form -> form.existsIn(size))
          .ifPresent(all::add);
    }
    List<InstructionForm> narrow = all.stream().filter(FormTable::isNarrow).toList();
    if (all.stream().anyMatch(form -> form.operandBits() != 16 && !form.showsSize())) {
      all.removeIf(FormTable::isNarrow);
    }
    return new Forms(List.copyOf(all), narrow);
  }

  private static boolean isNarrow(InstructionForm form) {
    return form.operandBits() == 16 && !form.showsSize();
  }

  /** Few kinds of operands are in most lines. */
  private Optional<OperandKind> operandKind(String text) {
    return operandKinds.computeIfAbsent(text, OperandKind::parse);
  }

  /** The mnemonics that it knows, with those that exist in code of other sizes only. */
  Set<String> mnemonics() {
    return lines.keySet();
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
