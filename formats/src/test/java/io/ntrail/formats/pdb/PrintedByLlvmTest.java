package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pdb.SectionContributions.Contribution;
import io.ntrail.formats.pdb.codeview.C13Lines;
import io.ntrail.formats.pdb.codeview.LineRow;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.formats.pdb.codeview.Symbol.Procedure;
import io.ntrail.formats.pdb.codeview.Symbol.Public;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pdb.PdbSamples;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Every record is what llvm-pdbutil 14 printed, wherever it printed anything. */
@EnabledIf("io.ntrail.formats.pdb.Pdbs#present")
class PrintedByLlvmTest {
  private static final Pattern MODULE = Pattern.compile("\\s*Mod (\\d{4}) \\| .*");
  private static final Pattern FILE =
      Pattern.compile("(\\S.*) \\((?:(?:MD5|SHA-1|SHA-256): .*|no checksum)\\)");
  private static final Pattern LINES =
      Pattern.compile("  (\\d{4}):[0-9A-F]{8}-[0-9A-F]{8}, line/(?:column/)?addr entries = \\d+");
  private static final Pattern ROW = Pattern.compile("(\\d+|[A-Z]+) ([0-9A-F]{8})");
  private static final Pattern RECORD =
      Pattern.compile("\\s+(\\d+) \\| (S_\\w+) \\[[^]]*\\](?: `(.*)`)?");
  private static final Pattern ADDRESS = Pattern.compile(".*addr = (\\d+):(\\d+).*");
  private static final Pattern SIZE = Pattern.compile(".*code size = (\\d+).*");
  private static final Pattern CONTRIBUTION =
      Pattern.compile("  SC\\[.*\\]\\s*\\| mod = (\\d+), (\\d+):(\\d+), size = (\\d+), .*");
  private static final Pattern INLINEE =
      Pattern.compile("\\s*0x([0-9A-F]+) \\|\\s+(\\d+) \\| (.*) \\(.*\\)");

  /** Compares all PDBs of which a text has what is looked for; how many rows there were. */
  private static long compare(
      String what,
      BiFunction<PdbFile, List<String>, List<String>> told,
      BiFunction<PdbFile, List<String>, List<String>> found) {
    long rows = 0;
    for (Map<String, String> row : Pdbs.readable()) {
      String plain = Pdbs.cell(row, "file").replaceAll("\\.pdb\\.(gz|xz)$", "");
      String truth = plain.replace('/', '_') + "." + what + ".txt";
      if (!Files.exists(TestData.file("pdb").resolve("truth/" + truth + ".xz"))) {
        continue;
      }
      PdbFile pdb = Pdbs.open(plain + ".pdb");
      List<String> lines = PdbSamples.truth(truth);
      List<String> expected = told.apply(pdb, lines).stream().sorted().toList();
      List<String> actual = found.apply(pdb, lines).stream().sorted().toList();
      if (!expected.equals(actual)) {
        List<String> missing = new ArrayList<>(expected);
        actual.forEach(missing::remove);
        List<String> more = new ArrayList<>(actual);
        expected.forEach(more::remove);
        assertEquals(first(missing), first(more), plain + " of " + expected.size());
      }
      rows += expected.size();
    }
    System.out.println(what + ": " + rows + " rows are equal");
    return rows;
  }

  private static String first(List<String> rows) {
    return rows.size() + ": " + String.join("\n", rows.subList(0, Math.min(10, rows.size())));
  }

  @Test
  void publics() {
    long rows =
        compare(
            "publics",
            (pdb, lines) -> {
              List<String> told = new ArrayList<>();
              for (int i = 0; i + 1 < lines.size(); i++) {
                Matcher record = RECORD.matcher(lines.get(i));
                Matcher address = ADDRESS.matcher(lines.get(i + 1));
                if (record.matches() && address.matches()) {
                  told.add(
                      "%s %s %d:%d %b"
                          .formatted(
                              record.group(1),
                              record.group(3),
                              Integer.parseInt(address.group(1)),
                              Long.parseLong(address.group(2)),
                              lines.get(i + 1).contains("function")));
                }
              }
              return told;
            },
            (pdb, lines) -> {
              PublicSymbols publics = pdb.publics().orElseThrow();
              List<String> found = new ArrayList<>();
              for (int i = 0; i < publics.count(); i++) {
                Public p = publics.get(i);
                assertTrue(publics.named(p.name()).contains(p), p.name());
                found.add(
                    "%d %s %d:%d %b"
                        .formatted(p.at(), p.name(), p.section(), p.offset(), p.isFunction()));
              }
              return found;
            });
    assertTrue(rows > 15_000, "publics");
  }

  @Test
  void globals() {
    long rows =
        compare(
            "globals",
            (pdb, lines) ->
                lines.stream()
                    .map(RECORD::matcher)
                    .filter(Matcher::matches)
                    .map(m -> m.group(1) + " " + Objects.requireNonNullElse(m.group(3), ""))
                    .toList(),
            (pdb, lines) -> {
              GlobalSymbols globals = pdb.globals().orElseThrow();
              List<String> found = new ArrayList<>();
              for (int i = 0; i < globals.count(); i++) {
                Symbol symbol = globals.get(i);
                String name = GlobalSymbols.name(symbol);
                assertTrue(globals.named(name).contains(symbol), name);
                found.add(symbol.at() + " " + name);
              }
              return found;
            });
    assertTrue(rows > 10_000, "globals");
  }

  @Test
  void contributions() {
    long rows =
        compare(
            "section-contribs",
            (pdb, lines) ->
                lines.stream()
                    .map(CONTRIBUTION::matcher)
                    .filter(Matcher::matches)
                    .map(m ->
                        "%d %d:%d %d"
                            .formatted(
                                Long.parseLong(m.group(1)),
                                Long.parseLong(m.group(2)),
                                Long.parseLong(m.group(3)),
                                Long.parseLong(m.group(4))))
                    .toList(),
            (pdb, lines) -> {
              List<String> found = new ArrayList<>();
              for (int i = 0; i < pdb.contributions().count(); i++) {
                Contribution c = pdb.contributions().get(i);
                found.add("%d %d:%d %d".formatted(c.module(), c.section(), c.offset(), c.size()));
                if (c.size() > 0) {
                  assertEquals(c, pdb.contributions().find(c.section(), c.offset()).orElseThrow());
                }
              }
              return found;
            });
    assertTrue(rows > 10_000, "contributions");
  }

  @Test
  void procedures() {
    long rows =
        compare("symbols", PrintedByLlvmTest::toldProcedures, PrintedByLlvmTest::procedures);
    assertTrue(rows > 2_000, "procedures");
  }

  private static List<String> toldProcedures(PdbFile pdb, List<String> lines) {
    List<String> told = new ArrayList<>();
    int module = -1;
    for (int i = 0; i + 1 < lines.size(); i++) {
      Matcher header = MODULE.matcher(lines.get(i));
      if (header.matches()) {
        module = Integer.parseInt(header.group(1));
      }
      Matcher record = RECORD.matcher(lines.get(i));
      if (record.matches() && record.group(2).matches("S_[GL]PROC32")) {
        Matcher address = ADDRESS.matcher(lines.get(i + 1));
        Matcher size = SIZE.matcher(lines.get(i + 1));
        assertTrue(address.matches() && size.matches(), lines.get(i + 1));
        told.add(
            "%d %s %s %d:%d %s"
                .formatted(
                    module,
                    record.group(1),
                    record.group(3),
                    Integer.parseInt(address.group(1)),
                    Long.parseLong(address.group(2)),
                    size.group(1)));
      }
    }
    return told;
  }

  /** Returns the procedures of modules up to the first record that the tool cannot read. */
  private static List<String> procedures(PdbFile pdb, List<String> lines) {
    List<String> found = new ArrayList<>();
    Map<Integer, Long> last = new HashMap<>();
    for (String told : toldProcedures(pdb, lines)) {
      String[] words = told.split(" ", 3);
      last.merge(Integer.parseInt(words[0]), Long.parseLong(words[1]), Math::max);
    }
    for (PdbModule module : pdb.modules()) {
      for (Procedure p : pdb.symbols(module).procedures()) {
        if (p.at() > last.getOrDefault(module.number(), 0L)) {
          continue;
        }
        found.add(
            "%d %d %s %d:%d %d"
                .formatted(module.number(), p.at(), p.name(), p.section(), p.offset(), p.length()));
      }
    }
    return found;
  }

  @Test
  void lines() {
    long rows = compare("lines", PrintedByLlvmTest::toldLines, PrintedByLlvmTest::lines);
    assertTrue(rows > 30_000, "lines");
  }

  private static List<String> toldLines(PdbFile pdb, List<String> lines) {
    List<String> told = new ArrayList<>();
    String module = "";
    String file = "";
    int section = 0;
    for (String line : lines) {
      Matcher header = MODULE.matcher(line);
      Matcher name = FILE.matcher(line);
      Matcher begin = LINES.matcher(line);
      if (header.matches()) {
        module = header.group(1);
        section = 0;
      } else if (begin.matches()) {
        section = Integer.parseInt(begin.group(1));
      } else if (name.matches()) {
        file = name.group(1);
      } else if (line.startsWith("(unknown file name")) {
        // Lines of the module before it, which the tool prints again for one that has none.
        file = "";
      } else if (section != 0) {
        Matcher row = ROW.matcher(line);
        while (!file.isEmpty() && row.find()) {
          told.add("%s %d:%s %s %s".formatted(module, section, row.group(2), row.group(1), file));
        }
      }
    }
    return told;
  }

  private static List<String> lines(PdbFile pdb, List<String> lines) {
    List<String> found = new ArrayList<>();
    for (PdbModule module : pdb.modules()) {
      ModuleSymbols symbols = pdb.symbols(module);
      for (LineRow row : symbols.lines()) {
        String line =
            switch (row.line()) {
              case 0xF0_0F00 -> "NSI";
              case 0xFE_EFEE -> "ASI";
              default -> Integer.toString(row.line());
            };
        found.add(
            "%04d %d:%08X %s %s"
                .formatted(
                    module.number(), row.section(), row.offset(), line, symbols.file(row.file())));
      }
    }
    return found;
  }

  @Test
  void inlinees() {
    long rows =
        compare(
            "il",
            (pdb, lines) -> toldInlinees(lines),
            (pdb, lines) -> {
              List<String> found = new ArrayList<>();
              for (PdbModule module : pdb.modules()) {
                ModuleSymbols symbols = pdb.symbols(module);
                for (C13Lines.Inlinee inlinee :
                    symbols.c13Lines().map(C13Lines::inlinees).orElse(List.of())) {
                  found.add(
                      module.number()
                          + " "
                          + inlinee.item()
                          + " "
                          + inlinee.line()
                          + " "
                          + symbols.file(inlinee.file()));
                }
              }
              return found;
            });
    assertTrue(rows > 1_000, "inlinees");
  }

  /** A module may list a function twice with several lines: the first counts, as in the tool. */
  private static List<String> toldInlinees(List<String> lines) {
    Map<String, String> told = new HashMap<>();
    int module = -1;
    for (String line : lines) {
      Matcher header = MODULE.matcher(line);
      Matcher inlinee = INLINEE.matcher(line);
      if (header.matches()) {
        module = Integer.parseInt(header.group(1));
      } else if (inlinee.matches()) {
        String item = module + " " + Long.parseLong(inlinee.group(1), 16);
        told.putIfAbsent(item, item + " " + inlinee.group(2) + " " + inlinee.group(3));
      }
    }
    return List.copyOf(told.values());
  }
}
