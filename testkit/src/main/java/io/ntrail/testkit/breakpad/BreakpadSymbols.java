package io.ntrail.testkit.breakpad;

import io.ntrail.testkit.pe.BreakpadStackRecords;
import io.ntrail.testkit.pe.BreakpadStackRecords.Win;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A symbol file of one module; addresses are RVAs.
 *
 * @param id GUID and age of the PDB, as hexadecimal digits
 * @param module name of the PDB
 * @param functions by address
 * @param publics by address
 * @param stack the rows that begin with STACK WIN, in the order of the file
 */
public record BreakpadSymbols(
    String id,
    String module,
    TreeMap<Long, Function> functions,
    TreeMap<Long, Public> publics,
    List<Win> stack) {

  /**
   * A function.
   *
   * @param begin its first byte
   * @param size in bytes
   * @param parameters bytes of them on the stack
   * @param name as the file has it
   * @param lines by address
   */
  public record Function(
      long begin, long size, int parameters, String name, TreeMap<Long, Line> lines) {
    /** Returns the line of an address. */
    public Optional<Line> line(long rva) {
      return Optional.ofNullable(lines.floorEntry(rva))
          .map(Map.Entry::getValue)
          .filter(line -> rva < line.begin + line.size);
    }
  }

  /**
   * A line.
   *
   * @param begin its first byte
   * @param size in bytes
   * @param number in the file
   * @param file path of the source
   */
  public record Line(long begin, long size, int number, String file) {}

  /**
   * A public symbol.
   *
   * @param begin its first byte
   * @param parameters bytes of them on the stack
   * @param name as the file has it
   */
  public record Public(long begin, int parameters, String name) {}

  /** Keeps what it is given. */
  public BreakpadSymbols {
    stack = List.copyOf(stack);
  }

  /** Reads a symbol file. */
  public static BreakpadSymbols of(String text) {
    String id = "";
    String module = "";
    Map<Integer, String> files = new TreeMap<>();
    TreeMap<Long, Function> functions = new TreeMap<>();
    TreeMap<Long, Public> publics = new TreeMap<>();
    List<Win> stack = new ArrayList<>();
    for (String line : text.lines().toList()) {
      String[] word = line.replaceFirst("^(FUNC|PUBLIC) m ", "$1 ").split(" ", -1);
      switch (word[0]) {
        case "MODULE" -> {
          id = word[3];
          module = rest(word, 4);
        }
        case "FILE" -> files.put(Integer.parseInt(word[1]), rest(word, 2));
        case "FUNC" ->
            functions.put(
                hex(word[1]),
                new Function(
                    hex(word[1]),
                    hex(word[2]),
                    (int) hex(word[3]),
                    rest(word, 4),
                    new TreeMap<>()));
        case "PUBLIC" ->
            publics.put(hex(word[1]), new Public(hex(word[1]), (int) hex(word[2]), rest(word, 3)));
        case "STACK" -> {
          if (word[1].equals("WIN")) {
            stack.add(BreakpadStackRecords.win(line));
          }
        }
        default -> {
          if (word.length == 4 && word[0].matches("[0-9a-f]+") && !functions.isEmpty()) {
            String file = files.getOrDefault(Integer.parseInt(word[3]), "");
            Line row = new Line(hex(word[0]), hex(word[1]), Integer.parseInt(word[2]), file);
            Optional.ofNullable(functions.floorEntry(row.begin))
                .ifPresent(function -> function.getValue().lines.put(row.begin, row));
          }
        }
      }
    }
    return new BreakpadSymbols(id, module, functions, publics, stack);
  }

  private static String rest(String[] words, int from) {
    return String.join(" ", List.of(words).subList(from, words.length));
  }

  private static long hex(String digits) {
    return Long.parseLong(digits, 16);
  }

  /** Returns the function that contains an address. */
  public Optional<Function> function(long rva) {
    return Optional.ofNullable(functions.floorEntry(rva))
        .map(Map.Entry::getValue)
        .filter(function -> rva < function.begin + function.size);
  }

  /** Returns the name for an address: of a function, else of the nearest public before it. */
  public Optional<String> name(long rva) {
    return function(rva)
        .map(Function::name)
        .or(() ->
            Optional.ofNullable(publics.floorEntry(rva)).map(entry -> entry.getValue().name()));
  }

  /**
   * Returns the innermost row of a type that contains an address.
   *
   * @param type 0 FPO, 4 frame data
   */
  public Optional<Win> row(int type, long rva) {
    return stack.stream()
        .filter(row -> row.type() == type && rva >= row.begin() && rva < row.begin() + row.size())
        .max(Comparator.comparingLong(Win::begin));
  }
}
