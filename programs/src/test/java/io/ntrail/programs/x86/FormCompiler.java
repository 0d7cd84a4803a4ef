package io.ntrail.programs.x86;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns forms into the cells that the decoder walks: for each kind of code, map and opcode the
 * rules are asked one dimension of the state after the other, and what does not matter is left out.
 * Equal parts are kept once.
 */
final class FormCompiler {
  /** Bytes of an offset: by the address size. */
  private static final int OFFSET = -1;

  private static final int PAGE = 256;

  private final Map<List<Integer>, Integer> blocks = new HashMap<>();
  private final List<Integer> cells = new ArrayList<>();
  private final List<String> conflicts = new ArrayList<>();
  private CodeSize size = CodeSize.BITS16;

  /** The content of the resource: pages of all maps, then cells. */
  static byte[] compile(List<Form> forms) {
    FormCompiler compiler = new FormCompiler();
    List<Integer> pages = new ArrayList<>();
    for (CodeSize size : CodeSize.values()) {
      for (CpuVendor vendor : CpuVendor.values()) {
        pages.addAll(compiler.pages(forms, size, vendor));
      }
    }
    if (!compiler.conflicts.isEmpty()) {
      throw new IllegalStateException(String.join("\n", compiler.conflicts));
    }
    byte[] bytes = new byte[4 * (pages.size() + compiler.cells.size())];
    int at = 0;
    for (List<Integer> part : List.of(pages, compiler.cells)) {
      for (int value : part) {
        for (int shift = 0; shift < 32; shift += 8) {
          bytes[at++] = (byte) (value >>> shift);
        }
      }
    }
    return bytes;
  }

  private List<Integer> pages(List<Form> forms, CodeSize codeSize, CpuVendor vendor) {
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
        page.add(cell(rules, 0, new int[Rule.DIMENSIONS]));
      }
      pages.add(block(page));
    }
    return pages;
  }

  /** Returns the index of a run of cells; equal runs are shared. */
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
  private int cell(List<Rule> rules, int dimension, int[] values) {
    if (rules.isEmpty()) {
      return 0;
    }
    if (dimension == Rule.OPERAND_SIZE) {
      return operandSizes(rules, values);
    }
    if (rules.stream().noneMatch(rule -> matters(rule, dimension))) {
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

  private static boolean matters(Rule rule, int dimension) {
    return rule.restricts(dimension) || dimension == Rule.ADDRESS_SIZE && rule.immediate == OFFSET;
  }

  private int node(int dimension, List<Integer> children) {
    if (children.stream().distinct().count() == 1) {
      return children.getFirst();
    }
    return DecodeTables.node(Rule.SHIFTS[dimension], Rule.BITS[dimension], block(children));
  }

  /**
   * The last dimension: 66 and W. Often only the length of the immediate depends on it, and a leaf
   * has room for all four. Legacy prefixes that were requested before leave some of them open:
   * these become what makes the table small.
   */
  private int operandSizes(List<Rule> rules, int[] values) {
    int[] source = {0, 1, 2, 3};
    boolean vector = rules.getFirst().map >= DecodeTables.MAP_VEX;
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
    for (int i = 0; i < 4; i++) {
      int operandSize = source[i];
      Optional<Rule> chosen = choose(rules, operandSize, values);
      if (!vector && operandSize > 1) {
        // W means nothing where there is no form for it: IN, OUT, FNSAVE.
        chosen = chosen.or(() -> choose(rules, operandSize & 1, values));
      }
      leaves.add(chosen.map(rule -> leaf(rule, vector, values)).orElse(0));
    }
    if (!vector) {
      sameKindOfSize(leaves);
    }
    if (vector || leaves.contains(0) || mixed(leaves)) {
      return node(Rule.OPERAND_SIZE, leaves);
    }
    int merged = leaves.getFirst() & ~0xFFFF;
    for (int i = 0; i < 4; i++) {
      merged |= leaves.get(i) & 0xF << 4 * i;
    }
    return merged;
  }

  /** Spreads the flag for 64-bit operands without W from one of the forms to all. */
  private static void sameKindOfSize(List<Integer> leaves) {
    int kind = 0;
    for (int leaf : leaves) {
      kind |= leaf & 3 << DecodeTables.SIZE_KIND_SHIFT;
    }
    int all = kind;
    leaves.replaceAll(leaf -> leaf == 0 ? 0 : leaf | all);
  }

  /** Returns true if leaves differ in more than the lengths of immediates. */
  private static boolean mixed(List<Integer> leaves) {
    return leaves.stream().map(leaf -> leaf & ~0xFFFF).distinct().count() > 1;
  }

  private int leaf(Rule rule, boolean vector, int[] values) {
    int bytes = rule.immediate == OFFSET ? offset(values[Rule.ADDRESS_SIZE]) : rule.immediate;
    return rule.leaf | (vector ? bytes : bytes * 0x1111);
  }

  private int offset(int override) {
    return switch (size) {
      case BITS16 -> override == 0 ? 2 : 4;
      case BITS32 -> override == 0 ? 4 : 2;
      case BITS64 -> override == 0 ? 8 : 4;
    };
  }

  private Optional<Rule> choose(List<Rule> rules, int operandSize, int[] values) {
    List<Rule> fitting =
        rules.stream()
            .filter(rule -> (rule.allowed[Rule.OPERAND_SIZE] & 1 << operandSize) != 0)
            .toList();
    Optional<Rule> best = fitting.stream().max(Comparator.comparingInt(Rule::specificity));
    for (Rule rule : fitting) {
      Rule other = best.orElseThrow();
      if (rule.specificity() == other.specificity()
          && (rule.leaf != other.leaf || rule.immediate != other.immediate)) {
        conflicts.add(rule.form + "\n  or " + other.form + " at " + Arrays.toString(values));
      }
    }
    return best;
  }
}
