package io.ntrail.programs.x86;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table of effects, turned into the words that the program reads. */
final class EffectTable {
  private static final String LETTERS = "rwxmcqvano";
  private static final String FLAG_SETS = "rwcsu";
  private static final Pattern MEMORY =
      Pattern.compile("\\[(es:)?([a-zA-Z0-9]+?)(?:([+-]\\d*)(n?))?\\](n|\\d+)");
  private static final List<String> GENERAL =
      List.of("ax", "cx", "dx", "bx", "sp", "bp", "si", "di");
  private static final List<String> GROUPS =
      List.of("general", "segments", "vectors", "pair", "four");

  private final List<Integer> words = new ArrayList<>();
  private final Map<String, Integer> byName = new HashMap<>();
  private final Set<String> unused = new HashSet<>();

  private EffectTable() {}

  static EffectTable read() {
    EffectTable table = new EffectTable();
    FormFiles.text("effects.txt")
        .lines()
        .filter(line -> line.contains("|") && !line.startsWith("#"))
        .forEach(table::line);
    return table;
  }

  /** All words. */
  List<Integer> words() {
    return words;
  }

  /** Names of lines that no form asked for. */
  Set<String> unused() {
    return unused;
  }

  private static final List<String> X87_STACK =
      List.of("unmoved", "push", "maypush", "pop", "pop2", "settop");

  private void line(String line) {
    String[] columns = line.split("\\|", -1);
    if (columns.length != 4) {
      throw new IllegalArgumentException(line);
    }
    int at = words.size();
    String accesses = columns[1].trim();
    int operands = accesses.split("/", -1)[0].length();
    for (String name : columns[0].trim().split("; ?", -1)) {
      String key = name.contains(" ") ? name : name + "/" + operands;
      if (byName.put(key, at) != null) {
        throw new IllegalArgumentException("twice: " + name);
      }
      unused.add(key);
    }
    words.add(letters(accesses));
    flags(columns[3].trim());
    String more = columns[2].trim();
    if (more.equals("zero") || more.equals("count")) {
      int rule = more.equals("zero") ? FormRecords.SAME_IS_ZERO : FormRecords.COUNTED;
      words.set(at, words.get(at) | rule);
      more = "";
    }
    List<String> tokens =
        new ArrayList<>(more.isEmpty() ? List.of() : List.of(more.split(" ", -1)));
    int stack = tokens.isEmpty() ? -1 : X87_STACK.indexOf(tokens.getFirst());
    if (stack >= 0) {
      tokens.removeFirst();
      words.set(at, words.get(at) | stack << FormRecords.X87_SHIFT);
    }
    words.add(tokens.size());
    tokens.forEach(this::token);
  }

  private static int letters(String accesses) {
    String[] ways = accesses.split("/", -1);
    int bits = 0;
    for (int i = 0; i < ways[0].length(); i++) {
      bits |= letter(ways[0].charAt(i)) << 4 * i;
    }
    return ways.length == 1 ? bits : bits | letter(ways[1].charAt(0)) + 1 << 20;
  }

  private static int letter(char letter) {
    int index = LETTERS.indexOf(letter);
    if (index < 0) {
      throw new IllegalArgumentException("no access: " + letter);
    }
    return index;
  }

  private void flags(String text) {
    int[] sets = new int[FLAG_SETS.length()];
    for (String part : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
      for (char letter : part.substring(2).toCharArray()) {
        sets[FLAG_SETS.indexOf(part.charAt(0))] |= 1 << Flag.LETTERS.indexOf(letter);
      }
    }
    words.add(sets[0] | sets[1] << 16);
    words.add(sets[2] | sets[3] << 16);
    words.add(sets[4]);
  }

  private void token(String token) {
    int access = letter(token.charAt(0));
    String what = token.substring(2);
    Matcher memory = MEMORY.matcher(what);
    if (!memory.matches()) {
      words.add(access | register(what));
      words.add(0);
      return;
    }
    boolean stack = memory.group(2).equals("sp") || memory.group(2).equals("bp");
    int segment = memory.group(1) != null ? 1 : stack ? 2 : 0;
    boolean units = "n".equals(memory.group(4));
    words.add(
        access
            | register(memory.group(2))
            | FormRecords.BESIDE_MEMORY
            | segment << 17
            | (units ? FormRecords.BESIDE_UNITS : 0));
    String bytes = memory.group(5);
    words.add(
        (bytes.equals("n") ? FormRecords.OPERAND_BYTES : Integer.parseInt(bytes))
            | displacement(memory.group(3)) << 16);
  }

  private static int displacement(@org.jspecify.annotations.Nullable String text) {
    if (text == null) {
      return 0;
    }
    return text.length() == 1 ? (text.equals("-") ? -1 : 1) : Integer.parseInt(text);
  }

  private static int register(String name) {
    if (GROUPS.contains(name)) {
      return FormRecords.KIND_GROUP << 4 | GROUPS.indexOf(name) << 12;
    }
    if (name.equals("op0")) {
      return FormRecords.KIND_FIRST << 4;
    }
    if (name.equals("sp") || name.equals("bp")) {
      return FormRecords.KIND_CODE << 4 | GENERAL.indexOf(name) << 12;
    }
    if (name.length() == 3 && Character.isUpperCase(name.charAt(1))) {
      int kind =
          switch (name.charAt(0)) {
            case 'a' -> FormRecords.KIND_ADDRESS;
            case 'c' -> FormRecords.KIND_CODE;
            default -> FormRecords.KIND_OPERAND;
          };
      return kind << 4
          | GENERAL.indexOf(name.substring(1).toLowerCase(java.util.Locale.ROOT)) << 12;
    }
    String shown = name.matches("st\\d") ? "st(" + name.charAt(2) + ")" : name;
    for (RegisterClass type : RegisterClass.values()) {
      for (int number = 0; number < type.count(); number++) {
        if (Register.of(type, number).toString().equals(shown)) {
          return type.ordinal() << 7 | number << 12;
        }
      }
    }
    throw new IllegalArgumentException("no register: " + name);
  }

  /** Returns the index of the effects of a form with a number of operands. */
  int of(Form form, int operands) {
    String written = form.operands().isEmpty() ? "-" : String.join(", ", form.operands());
    String all = form.mnemonic() + " " + written;
    String few = form.mnemonic() + "/" + operands;
    String key = byName.containsKey(all) ? all : few;
    Integer at = byName.get(key);
    if (at == null) {
      throw new IllegalStateException("no effects: " + all);
    }
    unused.remove(key);
    return at;
  }
}
