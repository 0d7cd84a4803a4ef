package io.ntrail.programs.x86;

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

  /** First bit of the dimensions that most opcodes depend on in the state, and their bits. */
  private static final int TOGETHER = FormRecords.STATE_66;

  private static final int TOGETHER_BITS = FormRecords.STATE_RM - TOGETHER;

  /** Dimensions that get nodes of their own, as few opcodes depend on them. */
  private static final List<Integer> ALONE =
      List.of(Rule.REG, Rule.RM, Rule.ADDRESS_SIZE, Rule.REX_R, Rule.REX_B);

  private static final List<Integer> SHIFTS_ALONE =
      List.of(
          FormRecords.STATE_REG,
          FormRecords.STATE_RM,
          FormRecords.STATE_ADDRESS_SIZE,
          FormRecords.STATE_REX_R,
          FormRecords.STATE_REX_B);

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
      for (CpuVendor vendor : CpuVendor.values()) {
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

  private List<Integer> pages(CodeSize codeSize, CpuVendor vendor) {
    size = codeSize;
    Map<Integer, List<Rule>> byOpcode = new HashMap<>();
    for (Form form : forms) {
      for (Rule rule : Rule.of(form, codeSize, vendor)) {
        byOpcode.computeIfAbsent(rule.map * PAGE + rule.opcode, k -> new ArrayList<>()).add(rule);
      }
    }
    List<Integer> pages = new ArrayList<>();
    for (int map = 0; map < DecodeTables.MAPS; map++) {
      List<Integer> page = new ArrayList<>();
      for (int opcode = 0; opcode < PAGE; opcode++) {
        List<Rule> rules = byOpcode.getOrDefault(map * PAGE + opcode, List.of());
        page.add(node(cell(rules, 0)));
      }
      pages.add(block(page));
    }
    return pages;
  }

  /** Returns the cell as a node: the reader need not check if the first cell is one. */
  private int node(int cell) {
    return cell < 0 ? cell : DecodeTables.node(0, 0, block(List.of(cell)));
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

  /** The cell for what is left of the rules after the dimensions before this one. */
  private int cell(List<Rule> rules, int level) {
    if (rules.isEmpty()) {
      return 0;
    }
    if (level == ALONE.size()) {
      return together(rules);
    }
    int dimension = ALONE.get(level);
    if (rules.stream().noneMatch(rule -> rule.restricts(dimension))) {
      return cell(rules, level + 1);
    }
    List<Integer> children = new ArrayList<>();
    for (int value = 0; value < 1 << Rule.BITS[dimension]; value++) {
      children.add(cell(allowing(rules, dimension, value), level + 1));
    }
    return node(SHIFTS_ALONE.get(level), children);
  }

  private static List<Rule> allowing(List<Rule> rules, int dimension, int value) {
    return rules.stream().filter(rule -> (rule.allowed[dimension] & 1 << value) != 0).toList();
  }

  private int node(int shift, List<Integer> children) {
    if (children.stream().distinct().count() == 1) {
      return children.getFirst();
    }
    return DecodeTables.node(
        shift, Integer.numberOfTrailingZeros(children.size()), block(children));
  }

  /** One node for all dimensions that most opcodes depend on: of their bits, those that matter. */
  private int together(List<Rule> rules) {
    int[] forms = new int[1 << TOGETHER_BITS];
    for (int state = 0; state < forms.length; state++) {
      forms[state] = form(rules, state << TOGETHER);
    }
    int first = TOGETHER_BITS;
    int last = -1;
    for (int bit = 0; bit < TOGETHER_BITS; bit++) {
      for (int state = 0; state < forms.length; state++) {
        if (forms[state] != forms[state ^ 1 << bit]) {
          first = Math.min(first, bit);
          last = bit;
        }
      }
    }
    if (last < 0) {
      return forms[0];
    }
    List<Integer> block = new ArrayList<>();
    for (int value = 0; value < 2 << last - first; value++) {
      block.add(forms[value << first]);
    }
    return DecodeTables.node(TOGETHER + first, last - first + 1, block(block));
  }

  private int form(List<Rule> rules, int state) {
    int prefix = state >>> FormRecords.STATE_PREFIX & 3;
    List<Rule> fitting = rules;
    fitting = allowing(fitting, Rule.PREFIX, prefix);
    fitting = allowing(fitting, Rule.REGISTER_FORM, state >>> FormRecords.STATE_REGISTER_FORM & 1);
    fitting = allowing(fitting, Rule.LENGTH, state >>> FormRecords.STATE_VECTOR_LENGTH & 3);
    fitting = allowing(fitting, Rule.BROADCAST, state >>> FormRecords.STATE_BROADCAST & 1);
    if (fitting.isEmpty()) {
      return 0;
    }
    int operandSize = state >>> FormRecords.STATE_66 & 1 | (state >>> FormRecords.STATE_W & 1) << 1;
    boolean vector = rules.getFirst().map >= DecodeTables.MAP_VEX;
    if (vector) {
      operandSize &= 2;
    } else {
      // The prefix says whether there is a 66 unless there is an F2 or F3, too.
      operandSize = prefix == 0 ? operandSize & 2 : prefix == 1 ? operandSize | 1 : operandSize;
      operandSize &= size == CodeSize.BITS64 ? 3 : 1;
    }
    int wanted = operandSize;
    List<Rule> all = fitting;
    Optional<Rule> chosen = choose(all, wanted);
    if (!vector && wanted > 1) {
      // W means nothing where there is no form for it.
      chosen = chosen.or(() -> choose(all, wanted & 1));
    }
    return chosen.map(rule -> numbers.getOrDefault(rule.form, 0)).orElse(0);
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
