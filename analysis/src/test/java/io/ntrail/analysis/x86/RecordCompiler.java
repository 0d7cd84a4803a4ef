package io.ntrail.analysis.x86;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Turns forms into the second resource: cells as {@link FormCompiler} makes them, whose leaves are
 * numbers of forms, and what each form says.
 */
final class RecordCompiler {
  private static final int PAGE = 256;

  private final List<Form> forms;
  private final Map<Form, Integer> numbers = new HashMap<>();
  private final Map<List<Integer>, Integer> blocks = new HashMap<>();
  private final List<Integer> cells = new ArrayList<>();
  private final List<String> conflicts = new ArrayList<>();
  private CodeSize size = CodeSize.BITS16;

  private RecordCompiler(List<Form> forms) {
    this.forms = forms;
    for (Form form : forms) {
      numbers.putIfAbsent(form, numbers.size() + 1);
    }
  }

  /** The content of the resource. */
  static byte[] compile(List<Form> forms, Map<String, List<String>> implied) {
    return new RecordCompiler(forms).compile(implied);
  }

  private byte[] compile(Map<String, List<String>> implied) {
    List<Integer> pages = new ArrayList<>();
    for (CodeSize code : CodeSize.values()) {
      for (Vendor vendor : Vendor.values()) {
        pages.addAll(pages(code, vendor));
      }
    }
    if (!conflicts.isEmpty()) {
      throw new IllegalStateException(
          conflicts.size() + " conflicts\n" + String.join("\n", conflicts));
    }
    Map<String, Integer> mnemonics = new LinkedHashMap<>();
    List<Integer> words = new ArrayList<>();
    EffectTable effects = EffectTable.read();
    for (Form form : forms) {
      String name = form.mnemonic().toLowerCase(Locale.ROOT);
      int mnemonic = mnemonics.computeIfAbsent(name, _ -> mnemonics.size());
      List<String> more = implied.getOrDefault(form.mnemonic(), List.of());
      Arrays.stream(FormRecord.of(form, more, mnemonic, effects)).forEach(words::add);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(out, List.of(forms.size(), cells.size(), mnemonics.size(), effects.words().size()));
    write(out, pages);
    write(out, cells);
    write(out, words);
    write(out, effects.words());
    for (String mnemonic : mnemonics.keySet()) {
      out.write(mnemonic.length());
      out.writeBytes(mnemonic.getBytes(StandardCharsets.US_ASCII));
    }
    return out.toByteArray();
  }

  private static void write(ByteArrayOutputStream out, List<Integer> values) {
    for (int value : values) {
      for (int shift = 0; shift < 32; shift += 8) {
        out.write(value >>> shift);
      }
    }
  }

  private List<Integer> pages(CodeSize codeSize, Vendor vendor) {
    size = codeSize;
    Map<Integer, List<Rule>> byOpcode = new HashMap<>();
    for (Form form : forms) {
      for (Rule rule : Rule.of(form, codeSize, vendor)) {
        byOpcode.computeIfAbsent(rule.map * PAGE + rule.opcode, k -> new ArrayList<>()).add(rule);
      }
    }
    List<Integer> pages = new ArrayList<>();
    for (int map = 0; map < Cells.MAPS; map++) {
      List<Integer> page = new ArrayList<>();
      for (int opcode = 0; opcode < PAGE; opcode++) {
        List<Rule> rules = byOpcode.getOrDefault(map * PAGE + opcode, List.of());
        page.add(cell(rules, 0, new int[Rule.DIMENSIONS]));
      }
      pages.add(block(page));
    }
    return pages;
  }

  private int block(List<Integer> block) {
    return blocks.computeIfAbsent(
        block,
        b -> {
          int at = cells.size();
          cells.addAll(b);
          return at;
        });
  }

  private int cell(List<Rule> rules, int dimension, int[] values) {
    if (rules.isEmpty()) {
      return 0;
    }
    if (dimension == Rule.OPERAND_SIZE) {
      return operandSizes(rules, values);
    }
    if (rules.stream().noneMatch(rule -> rule.restricts(dimension))) {
      values[dimension] = -1;
      return cell(rules, dimension + 1, values);
    }
    List<Integer> children = new ArrayList<>();
    for (int value = 0; value < 1 << Rule.BITS[dimension]; value++) {
      int bit = 1 << value;
      values[dimension] = value;
      children.add(
          cell(
              rules.stream().filter(rule -> (rule.allowed[dimension] & bit) != 0).toList(),
              dimension + 1,
              values));
    }
    return node(dimension, children);
  }

  private int node(int dimension, List<Integer> children) {
    if (children.stream().distinct().count() == 1) {
      return children.getFirst();
    }
    return Cells.node(Rule.SHIFTS[dimension], Rule.BITS[dimension], block(children));
  }

  private int operandSizes(List<Rule> rules, int[] values) {
    int[] source = {0, 1, 2, 3};
    boolean vector = rules.getFirst().map >= Cells.MAP_VEX;
    if (!vector) {
      if (values[Rule.PREFIX] == 0) {
        source = new int[] {0, 0, 2, 2};
      } else if (values[Rule.PREFIX] == 1) {
        source = new int[] {1, 1, 3, 3};
      }
      if (size != CodeSize.BITS64) {
        source = Arrays.stream(source).map(s -> s & 1).toArray();
      }
    }
    List<Integer> leaves = new ArrayList<>();
    for (int operandSize : source) {
      Optional<Rule> chosen = choose(rules, operandSize);
      if (!vector && operandSize > 1) {
        chosen = chosen.or(() -> choose(rules, operandSize & 1));
      }
      leaves.add(chosen.map(rule -> numbers.getOrDefault(rule.form, 0)).orElse(0));
    }
    return node(Rule.OPERAND_SIZE, leaves);
  }

  private Optional<Rule> choose(List<Rule> rules, int operandSize) {
    List<Rule> fitting =
        rules.stream()
            .filter(rule -> (rule.allowed[Rule.OPERAND_SIZE] & 1 << operandSize) != 0)
            .toList();
    Optional<Rule> best =
        fitting.stream().max(Comparator.comparingInt(RecordCompiler::specificity));
    for (Rule rule : fitting) {
      Form other = best.orElseThrow().form;
      if (specificity(rule) == specificity(best.orElseThrow()) && !rule.form.equals(other)) {
        String conflict = size + " " + rule.form + "\n  or " + other;
        if (!conflicts.contains(conflict)) {
          conflicts.add(conflict);
        }
      }
    }
    return best;
  }

  /** An opcode that is a register, too, says less than one that is not; W says more than none. */
  private static int specificity(Rule rule) {
    return 4 * rule.specificity()
        + (rule.form.opcode().contains("+") ? 0 : 2)
        + (rule.form.hasWord("REX.W") ? 1 : 0);
  }
}
