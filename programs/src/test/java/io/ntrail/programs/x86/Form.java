package io.ntrail.programs.x86;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of the forms.
 *
 * @param file its file, without the extension
 * @param opcode the opcode as written
 * @param mnemonic the mnemonic
 * @param operands the operands as written
 * @param places where each operand is, a letter each
 * @param feature the CPU feature
 * @param attributes the words of the last column
 */
record Form(
    String file,
    String opcode,
    String mnemonic,
    List<String> operands,
    String places,
    String feature,
    Set<String> attributes) {
  private static final Pattern MEMORY = Pattern.compile("(m|vm\\d+[xyz]|mib|mem|sibmem|m\\d.*)");
  private static final Pattern EITHER = Pattern.compile(".*/m.*");
  private static final Pattern DIGIT = Pattern.compile("/([0-7])");

  static Form parse(String file, String line) {
    String[] columns = line.split("\\|", -1);
    if (columns.length != 5) {
      throw new IllegalArgumentException(file + ": " + line);
    }
    String[] text = columns[1].trim().split(" ", 2);
    List<String> operands = text.length == 1 ? List.of() : List.of(text[1].split(", ", -1));
    String places = columns[2].trim();
    if (places.length() != operands.size()) {
      throw new IllegalArgumentException("operands and places differ: " + line);
    }
    String attributes = columns[4].trim();
    return new Form(
        file,
        columns[0].trim(),
        text[0],
        operands,
        places,
        columns[3].trim(),
        attributes.isEmpty() ? Set.of() : Set.of(attributes.split(" ", -1)));
  }

  /** The words of the opcode. */
  List<String> words() {
    return List.of(opcode.split(" ", -1));
  }

  boolean has(String attribute) {
    return attributes.contains(attribute);
  }

  boolean hasWord(String word) {
    return words().contains(word);
  }

  /** VEX, EVEX or XOP with what follows it, split at the dots; empty for a legacy form. */
  Optional<List<String>> vector() {
    String first = words().getFirst();
    return first.matches("(VEX|EVEX|XOP)\\..*")
        ? Optional.of(List.of(first.split("\\.", -1)))
        : Optional.empty();
  }

  /** The digit after the slash, or -1. */
  int digit() {
    Matcher digit = DIGIT.matcher(opcode);
    return digit.find() ? digit.group(1).charAt(0) - '0' : -1;
  }

  boolean hasModRm() {
    return opcode.contains(" /r") || opcode.contains(" 11:") || digit() >= 0;
  }

  /** Returns true if the ModRM byte may select memory. */
  boolean takesMemory() {
    return has("any-mod") || operands.stream().anyMatch(o -> isMemory(o) || isEither(o));
  }

  /** Returns true if the ModRM byte may select a register. */
  boolean takesRegister() {
    return has("any-mod")
        || operands.stream().anyMatch(Form::isEither)
        || operands.stream().noneMatch(Form::isMemory);
  }

  boolean anyOperandHas(String text) {
    return operands.stream().anyMatch(o -> o.contains(text));
  }

  /** The operand in a place, without its decorations, or an empty text. */
  String operandAt(char place) {
    int index = places.indexOf(place);
    return index < 0 ? "" : bare(operands.get(index));
  }

  private static boolean isMemory(String operand) {
    return MEMORY.matcher(bare(operand)).matches() && !operand.startsWith("mm");
  }

  private static boolean isEither(String operand) {
    return EITHER.matcher(bare(operand)).matches();
  }

  static String bare(String operand) {
    int brace = operand.indexOf('{');
    return (brace < 0 ? operand : operand.substring(0, brace)).trim();
  }

  @Override
  public String toString() {
    return opcode + " | " + mnemonic + " " + String.join(", ", operands);
  }
}
