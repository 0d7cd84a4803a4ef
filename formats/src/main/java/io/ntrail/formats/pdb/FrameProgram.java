package io.ntrail.formats.pdb;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  /** Longest programs that are run; those of the samples have at most 60 words. */
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

  /**
   * Result of a run.
   *
   * @param variables values of all variables when it ended
   * @param problem why it could not be finished, in words; empty if it was
   */
  public record Outcome(Map<String, Integer> variables, String problem) {
    /** Returns true if the program was run to its end. */
    public boolean isComplete() {
      return problem.isEmpty();
    }

    /** Returns the value of a variable; empty if it has none. */
    public OptionalInt value(String variable) {
      Integer value = variables.get(variable);
      return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }
  }

  /** Takes a program apart. */
  public static FrameProgram of(String text) {
    List<String> words = new ArrayList<>();
    for (String word : text.strip().split("\\s+", -1)) {
      if (words.size() > MOST_WORDS) {
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

  /**
   * Runs the program.
   *
   * @param variables values of registers and constants, such as {@code $esp} and {@code
   *     .raSearchStart}
   */
  public Outcome run(Map<String, Integer> variables, Memory memory) {
    Run run = new Run(new HashMap<>(variables), memory);
    if (words.size() > MOST_WORDS) {
      return new Outcome(run.values, "more than " + MOST_WORDS + " words");
    }
    for (String word : words) {
      String problem = run.step(word);
      if (!problem.isEmpty()) {
        return new Outcome(run.values, problem);
      }
    }
    return new Outcome(run.values, run.stack.isEmpty() ? "" : "values are left over at its end");
  }

  /** An entry of the stack: a number, or a variable that can be assigned to. */
  private record Operand(String variable, int number) {}

  /** One run: its variables, its stack. */
  private static final class Run {
    private final Map<String, Integer> values;
    private final Memory memory;
    private final Deque<Operand> stack = new ArrayDeque<>();

    Run(Map<String, Integer> values, Memory memory) {
      this.values = values;
      this.memory = memory;
    }

    /** Executes a word; returns the problem, empty if there is none. */
    String step(String word) {
      return switch (word) {
        case "+", "-", "*", "/", "%", "@" -> calculate(word);
        case "^" -> dereference();
        case "=" -> assign();
        default -> operand(word);
      };
    }

    private String calculate(String operator) {
      if (stack.size() < 2) {
        return tooFew(operator);
      }
      Operand right = stack.removeLast();
      Operand left = stack.removeLast();
      if (!isKnown(left) || !isKnown(right)) {
        return "the value of " + (isKnown(left) ? right : left).variable + " is not known";
      }
      int divisor = value(right);
      if (divisor == 0 && "/%@".contains(operator)) {
        return operator + " 0";
      }
      push(apply(operator, value(left), divisor));
      return "";
    }

    private String dereference() {
      if (stack.isEmpty()) {
        return tooFew("^");
      }
      Operand address = stack.removeLast();
      if (!isKnown(address)) {
        return "the value of " + address.variable + " is not known";
      }
      OptionalInt word = memory.read(value(address));
      if (word.isEmpty()) {
        return "memory at 0x%x is not there".formatted(value(address));
      }
      push(word.getAsInt());
      return "";
    }

    private String assign() {
      if (stack.size() < 2) {
        return tooFew("=");
      }
      Operand assigned = stack.removeLast();
      Operand target = stack.removeLast();
      if (target.variable.isEmpty()) {
        return "a number is assigned to";
      }
      if (!isKnown(assigned)) {
        return "the value of " + assigned.variable + " is not known";
      }
      values.put(target.variable, value(assigned));
      return "";
    }

    private String operand(String word) {
      char first = word.charAt(0);
      if (first == '$' || first == '.') {
        stack.addLast(new Operand(word, 0));
        return "";
      }
      try {
        long number = Long.parseLong(word);
        if (number < Integer.MIN_VALUE || number > 0xFFFF_FFFFL) {
          return "a number of more than 32 bits";
        }
        push((int) number);
        return "";
      } catch (NumberFormatException _) {
        return "an unknown word";
      }
    }

    private boolean isKnown(Operand operand) {
      return operand.variable.isEmpty() || values.containsKey(operand.variable);
    }

    private int value(Operand operand) {
      return operand.variable.isEmpty() ? operand.number : values.getOrDefault(operand.variable, 0);
    }

    private void push(int number) {
      stack.addLast(new Operand("", number));
    }

    private static String tooFew(String operator) {
      return "nothing is left for " + operator;
    }

    private static int apply(String operator, int left, int right) {
      return switch (operator) {
        case "+" -> left + right;
        case "-" -> left - right;
        case "*" -> left * right;
        case "/" -> Integer.divideUnsigned(left, right);
        case "%" -> Integer.remainderUnsigned(left, right);
        default -> left - Integer.remainderUnsigned(left, right);
      };
    }
  }
}
