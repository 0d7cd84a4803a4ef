package io.ntrail.formats.pdb;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A program of FRAMEDATA in postfix notation, such as {@code $T0 $ebp = $eip $T0 4 + ^ =}: numbers
 * and variables are pushed, {@code + - * / % @ ^} take what they need and push, {@code =} assigns.
 * {@code ^} reads memory, {@code @} rounds down to a multiple. Registers may be named by their
 * CodeView numbers: {@code $20} is ebx, {@code $22} ebp, {@code $23} esi, {@code $24} edi.
 *
 * <p>Sources: breakpad's postfix_evaluator-inl.h and stack_frame_symbolizer; the programs of the
 * samples, of which 30 % use numbers for registers, and one has {@code =} glued to the next word.
 */
public final class FrameProgram {
  private static final Map<String, String> NUMBERED =
      Map.of(
          "$17", "$eax",
          "$18", "$ecx",
          "$19", "$edx",
          "$20", "$ebx",
          "$21", "$esp",
          "$22", "$ebp",
          "$23", "$esi",
          "$24", "$edi");

  private static final int MOST_WORDS = 1000;

  private final List<String> words;

  private FrameProgram(List<String> words) {
    this.words = words;
  }

  /** The memory of a stopped program. */
  @FunctionalInterface
  public interface Memory {
    /** Returns the 4 bytes at an address; empty if unknown. */
    OptionalInt read(int address);
  }

  /** Takes a program apart. */
  public static FrameProgram of(String text) {
    List<String> words = new ArrayList<>();
    for (String word : text.strip().split("\\s+", -1)) {
      if (words.size() >= MOST_WORDS) {
        break;
      }
      if (word.length() > 1 && word.startsWith("=")) {
        words.add("=");
        words.add(named(word.substring(1)));
      } else if (!word.isEmpty()) {
        words.add(named(word));
      }
    }
    return new FrameProgram(List.copyOf(words));
  }

  private static String named(String word) {
    return NUMBERED.getOrDefault(word, word);
  }

  /** Its words; registers have their names. */
  public List<String> words() {
    return words;
  }

  /** Returns true if the program uses a variable or constant, for example {@code .raSearch}. */
  public boolean uses(String variable) {
    return words.contains(variable);
  }

  /** An entry of the stack: a number, or a variable that can be assigned to. */
  private record Operand(String variable, int number) {}

  /**
   * Runs the program.
   *
   * @param variables values of registers and constants, such as {@code $esp} and {@code
   *     .raSearchStart}
   * @return the variables afterwards; empty if it uses an unknown value, or is malformed
   */
  public Optional<Map<String, Integer>> run(Map<String, Integer> variables, Memory memory) {
    Map<String, Integer> values = new HashMap<>(variables);
    Deque<Operand> stack = new ArrayDeque<>();
    for (String word : words) {
      if (!step(word, values, stack, memory)) {
        return Optional.empty();
      }
    }
    return stack.isEmpty() ? Optional.of(values) : Optional.empty();
  }

  private static boolean step(
      String word, Map<String, Integer> values, Deque<Operand> stack, Memory memory) {
    return switch (word) {
      case "+", "-", "*", "/", "%", "@" -> {
        OptionalInt right = pop(stack, values);
        OptionalInt left = pop(stack, values);
        yield right.isPresent()
            && left.isPresent()
            && push(stack, apply(word, left.getAsInt(), right.getAsInt()));
      }
      case "^" -> {
        OptionalInt address = pop(stack, values);
        yield address.isPresent() && push(stack, memory.read(address.getAsInt()));
      }
      case "=" -> {
        OptionalInt value = pop(stack, values);
        Operand target = stack.pollLast();
        if (value.isEmpty() || target == null || target.variable.isEmpty()) {
          yield false;
        }
        values.put(target.variable, value.getAsInt());
        yield true;
      }
      default -> operand(word, stack);
    };
  }

  private static boolean operand(String word, Deque<Operand> stack) {
    char first = word.charAt(0);
    if (first == '$' || first == '.') {
      stack.addLast(new Operand(word, 0));
      return true;
    }
    try {
      stack.addLast(new Operand("", (int) Long.parseLong(word)));
      return true;
    } catch (NumberFormatException _) {
      return false;
    }
  }

  private static boolean push(Deque<Operand> stack, OptionalInt value) {
    value.ifPresent(number -> stack.addLast(new Operand("", number)));
    return value.isPresent();
  }

  private static OptionalInt pop(Deque<Operand> stack, Map<String, Integer> values) {
    Operand operand = stack.pollLast();
    if (operand == null) {
      return OptionalInt.empty();
    }
    if (operand.variable.isEmpty()) {
      return OptionalInt.of(operand.number);
    }
    Integer value = values.get(operand.variable);
    return value == null ? OptionalInt.empty() : OptionalInt.of(value);
  }

  private static OptionalInt apply(String operator, int left, int right) {
    return switch (operator) {
      case "+" -> OptionalInt.of(left + right);
      case "-" -> OptionalInt.of(left - right);
      case "*" -> OptionalInt.of(left * right);
      case "/" ->
          right == 0 ? OptionalInt.empty() : OptionalInt.of(Integer.divideUnsigned(left, right));
      case "%" ->
          right == 0 ? OptionalInt.empty() : OptionalInt.of(Integer.remainderUnsigned(left, right));
      default ->
          right == 0
              ? OptionalInt.empty()
              : OptionalInt.of(left - Integer.remainderUnsigned(left, right));
    };
  }
}
