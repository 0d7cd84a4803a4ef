package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pdb.PdbSymbolizer.Frame;
import io.ntrail.formats.pdb.codeview.LineRow;
import io.ntrail.formats.pdb.codeview.Symbol.Procedure;
import io.ntrail.formats.pe.unwind.FpoTable;
import io.ntrail.formats.pe.unwind.FpoTable.Fpo;
import io.ntrail.testkit.pdb.PdbSamples;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Functions, lines and frame data are those of the texts that breakpad, symbolic and dump_syms made
 * from the same PDBs.
 */
@EnabledIf("io.ntrail.formats.pdb.Pdbs#present")
class SymTextsTest {
  /** A text of breakpad's format, taken apart; numbers as they are printed. */
  private record Text(
      Map<String, String> functions, Set<String> lines, Set<String> frames, List<String> all) {
    static Text of(String name) {
      Map<String, String> files = new HashMap<>();
      Text text = new Text(new HashMap<>(), new TreeSet<>(), new TreeSet<>(), new ArrayList<>());
      for (String line : PdbSamples.lines(name)) {
        String[] words = line.replace("FUNC m ", "FUNC ").split(" ", 5);
        if (words[0].equals("FILE")) {
          files.put(words[1], line.split(" ", 3)[2]);
        } else if (words[0].equals("FUNC")) {
          text.functions.put(words[1] + " " + words[2], words[4]);
        } else if (line.startsWith("STACK WIN")) {
          text.frames.add(line.strip());
        } else if (words[0].matches("[0-9a-f]+")) {
          text.lines.add(
              "%s %s %s %s".formatted(words[0], words[1], words[2], files.get(words[3])));
        }
      }
      return text;
    }
  }

  private static Map<String, String> functions(PdbFile pdb) {
    Map<String, String> functions = new HashMap<>();
    for (PdbModule module : pdb.modules()) {
      for (Procedure procedure : pdb.symbols(module).procedures()) {
        long rva = pdb.rva(procedure.section(), procedure.offset());
        functions.put("%x %x".formatted(rva, procedure.length()), procedure.name());
      }
    }
    return functions;
  }

  /**
   * Rows as the texts have them.
   *
   * @param merged whether marks for debuggers belong to the line before them, and what is of one
   *     line is one row, as dump_syms does
   */
  private static Set<String> lines(PdbFile pdb, boolean merged) {
    Set<String> lines = new TreeSet<>();
    for (PdbModule module : pdb.modules()) {
      ModuleSymbols symbols = pdb.symbols(module);
      List<LineRow> rows = merged ? merged(symbols) : symbols.lines();
      for (LineRow row : rows) {
        lines.add(
            "%x %x %d %s"
                .formatted(
                    pdb.rva(row.section(), row.offset()),
                    row.length(),
                    row.line(),
                    symbols.file(row.file())));
      }
    }
    return lines;
  }

  private static List<LineRow> merged(ModuleSymbols symbols) {
    Set<Long> begins = new HashSet<>();
    symbols.procedures().forEach(p -> begins.add((long) p.section() << 32 | p.offset()));
    List<LineRow> merged = new ArrayList<>();
    for (LineRow row : symbols.lines()) {
      LineRow last = merged.isEmpty() ? null : merged.getLast();
      if (last != null
          && last.offset() + last.length() == row.offset()
          && !begins.contains((long) row.section() << 32 | row.offset())
          && (row.isMark() || row.line() == last.line() && row.file() == last.file())) {
        merged.removeLast();
        merged.add(
            new LineRow(
                last.section(),
                last.offset(),
                last.length() + row.length(),
                last.file(),
                last.line(),
                last.endLine(),
                last.column(),
                last.isStatement()));
      } else {
        merged.add(row);
      }
    }
    return merged;
  }

  private static String frame(FrameData.Frame frame) {
    return "STACK WIN 4 %x %x %x 0 %x %x %x %x 1 %s"
        .formatted(
            frame.begin(),
            frame.size(),
            frame.prolog(),
            frame.parameters(),
            frame.savedRegisters(),
            frame.locals(),
            frame.maxStack(),
            frame.program())
        .strip();
  }

  private static String frame(Fpo frame) {
    return "STACK WIN 0 %x %x %x 0 %x %x %x 0 0 %d"
        .formatted(
            frame.begin(),
            frame.size(),
            frame.prolog(),
            frame.parameters(),
            4 * frame.savedRegisters(),
            frame.locals(),
            frame.usesEbp() ? 1 : 0);
  }

  private static Set<String> frames(PdbFile pdb) {
    Set<String> frames =
        pdb.frameData().frames().stream()
            .map(SymTextsTest::frame)
            .collect(Collectors.toCollection(TreeSet::new));
    pdb.fpoData()
        .map(data -> FpoTable.of(data).entries())
        .orElse(List.of())
        .forEach(fpo -> frames.add(frame(fpo)));
    return frames;
  }

  @ParameterizedTest
  @ValueSource(strings = {"breakpad/dump_syms_regtest", "breakpad/dump_syms_regtest64"})
  void allIsAsBreakpadWroteIt(String name) {
    PdbFile pdb = Pdbs.open(name + ".pdb");
    Text text = Text.of(name + ".sym");
    assertEquals(text.functions.keySet(), functions(pdb).keySet());
    assertEquals(text.lines, lines(pdb, false));
    assertEquals(text.frames, frames(pdb));
    assertTrue(text.functions.size() > 100 && text.lines.size() > 2000, "size of the text");
  }

  @ParameterizedTest
  @CsvSource({
    "mozilla/basic32, mozilla/basic32.sym, true, 3072, 24037, 4993, 0",
    "mozilla/basic32-min, mozilla/basic32-min.sym, true, 723, 0, 4993, 0",
    "sentry/crash, sentry/crash.sym, false, 92, 761, 154, 2",
    "sentry/CrashWithException, sentry/CrashWithException.pdb.sym, false, 66, 304, 0, 0"
  })
  void functionsLinesAndFrameDataOfOtherTextsAreFound(
      String name,
      String file,
      boolean merged,
      int functions,
      int lines,
      int frames,
      int framesOfOursOnly) {
    PdbFile pdb = Pdbs.open(name + ".pdb");
    Text text = Text.of(file);
    assertEquals(functions, text.functions.size());
    assertEquals(lines, text.lines.size());
    assertEquals(frames, text.frames.size());
    assertEquals(text.functions.keySet(), functions(pdb).keySet());
    // A row that the end of a function cuts is longer here.
    Set<String> cut = without(text.lines, lines(pdb, merged));
    assertEquals(Set.of(), without(withoutLength(cut), withoutLength(lines(pdb, merged))));
    assertTrue(cut.size() < 20, "cut rows");
    Set<String> ours = withoutLast(frames(pdb));
    Set<String> theirs = withoutLast(text.frames);
    assertEquals(Set.of(), without(theirs, ours));
    // Where both tables have a record the texts have that of the newer one.
    Set<String> only = without(ours, theirs);
    only.removeIf(line -> {
      long begin = Long.parseLong(line.split(" ", -1)[3], 16);
      return line.startsWith("STACK WIN 0")
          && pdb.frameData().find(begin).filter(frame -> frame.begin() == begin).isPresent();
    });
    assertEquals(framesOfOursOnly, only.size(), only.toString());
  }

  /** Frames without their last bit, for which some tools take another one than that of ebp. */
  private static Set<String> withoutLast(Set<String> frames) {
    return frames.stream()
        .map(frame -> frame.replaceAll("^(STACK WIN 0.*) [01]$", "$1"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> withoutLength(Set<String> lines) {
    return lines.stream()
        .map(line -> line.replaceFirst(" [0-9a-f]+", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> without(Set<String> all, Set<String> others) {
    Set<String> rest = new TreeSet<>(all);
    rest.removeAll(others);
    return rest;
  }

  /** The texts have addresses of the image, the PDBs those of before it was rearranged. */
  @ParameterizedTest
  @ValueSource(strings = {"omap_stretched", "omap_stretched_filled", "omap_reorder_bbs"})
  void addressesOfRearrangedImagesMeanWhatBreakpadWrote(String name) {
    PdbFile pdb = Pdbs.open("breakpad/" + name + ".pdb");
    Text text = Text.of("breakpad/" + name + ".sym");
    PdbSymbolizer addresses = new PdbSymbolizer(pdb);
    List<String> wrong = new ArrayList<>();
    int checked = 0;
    for (Map.Entry<String, String> function : text.functions.entrySet()) {
      long rva = Long.parseLong(function.getKey().split(" ", -1)[0], 16);
      String found =
          addresses
              .find(rva)
              .map(PdbSymbolizer.Found::name)
              .orElse("")
              // The text has names of assembler functions without their decoration.
              .replaceFirst("^[@_]", "")
              .replaceFirst("@\\d+$", "");
      String told = function.getValue().replaceAll("\\(.*", "");
      checked++;
      if (found.isEmpty() || !told.endsWith(found)) {
        wrong.add(function + " and not " + found);
      }
    }
    for (String line : text.lines) {
      String[] words = line.split(" ", 4);
      if (words[1].equals("0")) {
        continue;
      }
      // At the start of a function a row without bytes is meant, which the text does not have.
      long rva = Long.parseLong(words[0], 16);
      boolean isStart = addresses.find(rva).filter(found -> found.offset() == 0).isPresent();
      long size = Long.parseLong(words[1], 16);
      if (isStart && size == 1) {
        continue;
      }
      Optional<Frame> frame =
          addresses.find(isStart ? rva + 1 : rva).map(found -> found.frames().getLast());
      checked++;
      String found = frame.map(f -> f.line() + " " + f.file()).orElse("");
      if (!found.equals(words[2] + " " + words[3])) {
        wrong.add(line + " and not " + found);
      }
    }
    for (String line : text.frames) {
      String[] words = line.split(" ", 13);
      if (!words[2].equals("4")) {
        continue;
      }
      checked++;
      long original = pdb.toOriginal(Long.parseLong(words[3], 16));
      if (pdb.frameData().frames().stream()
          .noneMatch(
              frame -> frame.contains(original) && frame.program().strip().equals(words[12]))) {
        wrong.add(line);
      }
    }
    System.out.printf(
        "%s: %d of %d as breakpad wrote them%n", name, checked - wrong.size(), checked);
    assertEquals(List.of(), wrong);
  }
}
