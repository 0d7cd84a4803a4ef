package io.ntrail.cli.architecture;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Contents of ARCHITECTURE.md: its picture, its table of packages, its table of things with one
 * place, and its table of exceptions from sizes.
 *
 * @param picture rows of the picture by full package names, 0 is the top row; empty without one
 * @param packages by their full names, in the page's order
 * @param places things with one place
 * @param exceptions packages and classes that may be larger than others, without {@link #ROOT}
 */
record House(
    Map<String, Integer> picture,
    Map<String, Room> packages,
    List<Place> places,
    Set<String> exceptions) {
  static final String ROOT = "io.ntrail";

  /** A row of the picture: a module's name on its first row, then packages of it. */
  private static final Pattern DRAWN =
      Pattern.compile(" *(?:([a-z]+) {2,})?([a-z0-9.]+(?: · [a-z0-9.]+)*)(?: {2,}.*)?");

  /** Stands in a row for the package that has the module's own name. */
  private static final String MODULE_ITSELF = "itself";

  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  /**
   * A package.
   *
   * @param line of the page
   * @param name in full
   * @param uses packages that it may use, in full
   * @param usesAll whether it may use everything
   */
  record Room(int line, String name, Set<String> uses, boolean usesAll) {}

  /**
   * Something that only some packages may touch.
   *
   * @param line of the page
   * @param what a package, a class, or a field of a class
   * @param packages where, in full
   */
  record Place(int line, String what, Set<String> packages) {}

  static House read(String page) {
    Map<String, Room> packages = new LinkedHashMap<>();
    List<Place> places = new ArrayList<>();
    Set<String> exceptions = new TreeSet<>();
    String table = "";
    List<String> lines = page.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (!line.startsWith("|")) {
        table = "";
        continue;
      }
      List<String> cells = cells(line);
      if (table.isEmpty()) {
        table = cells.getFirst();
        continue;
      }
      if (line.startsWith("| ---")) {
        continue;
      }
      String first = quoted(cells.getFirst()).stream().findFirst().orElse("");
      if (table.equals("package")) {
        String name = full(first);
        Set<String> uses = new TreeSet<>();
        quoted(cells.get(2)).forEach(used -> uses.add(full(used)));
        packages.put(name, new Room(i + 1, name, uses, cells.get(2).equals("*")));
      } else if (table.equals("what")) {
        Set<String> in = new TreeSet<>();
        quoted(cells.get(1)).forEach(name -> in.add(full(name)));
        places.add(new Place(i + 1, first, in));
      } else if (table.equals("larger")) {
        exceptions.add(first);
      }
    }
    return new House(picture(lines), packages, places, exceptions);
  }

  /** Reads the first block between fences. */
  private static Map<String, Integer> picture(List<String> lines) {
    Map<String, Integer> rows = new LinkedHashMap<>();
    int from = lines.indexOf("```");
    String module = "";
    for (int i = from + 1; from >= 0 && i < lines.size() && !lines.get(i).equals("```"); i++) {
      Matcher drawn = DRAWN.matcher(lines.get(i));
      if (!drawn.matches()) {
        continue;
      }
      module = drawn.group(1) == null ? module : drawn.group(1);
      for (String name : drawn.group(2).split(" · ", -1)) {
        rows.put(full(name.equals(MODULE_ITSELF) ? module : module + "." + name), i - from);
      }
    }
    return rows;
  }

  /** {@code formats} out of {@code io.ntrail.formats.etl}: also the name of the Maven module. */
  static String module(String name) {
    String rest = name.substring(ROOT.length() + 1);
    int dot = rest.indexOf('.');
    return dot < 0 ? rest : rest.substring(0, dot);
  }

  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    for (String cell : line.substring(1).split("\\|", -1)) {
      cells.add(cell.strip());
    }
    return cells;
  }

  private static List<String> quoted(String cell) {
    List<String> texts = new ArrayList<>();
    for (Matcher matcher = QUOTED.matcher(cell); matcher.find(); ) {
      texts.add(matcher.group(1));
    }
    return texts;
  }

  private static String full(String name) {
    return ROOT + "." + name;
  }
}
