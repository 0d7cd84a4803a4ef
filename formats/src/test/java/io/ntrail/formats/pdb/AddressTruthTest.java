package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pdb.PdbSymbolizer.Found;
import io.ntrail.formats.pdb.PdbSymbolizer.Frame;
import io.ntrail.formats.pdb.PdbSymbolizer.Kind;
import io.ntrail.formats.pdb.SectionContributions.Contribution;
import io.ntrail.formats.pdb.codeview.Symbol.Procedure;
import io.ntrail.testkit.pdb.PdbSamples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * 3,000 addresses of each of ten programs, and what llvm-symbolizer 14.0.6 said about them.
 *
 * <p>Functions, lines of the outermost function and stacks of inlined functions are judged apart;
 * every address has one class of each, by a rule on the records of the PDB. How many addresses have
 * which class is the table in docs/pdb-notes.md, where the classes are explained.
 */
@EnabledIf("io.ntrail.formats.pdb.Pdbs#present")
class AddressTruthTest {
  private static final int ASKED = 3000;
  private static final double ENOUGH = 0.99;

  /** A class: a column of the table. */
  private enum Verdict {
    /** llvm-symbolizer ended without an answer: the address is not in the list. */
    CRASHED,
    /** It knows nothing about the address, nor do we. */
    NOTHING,
    /** It knows nothing about the address; we have a jump of incremental linking. */
    JUMP,

    /** The name is ours, or that of our public symbol in words. */
    F_SAME,
    /** It is another one of several public symbols at the begin of the function. */
    F_FOLDED,
    /** We have a label; it has a public symbol before the object's bytes: it reads no labels. */
    F_LABEL,
    /** Bytes of an object before its first function; it has a public symbol before the object. */
    F_BEFORE,
    /** Bytes of an object after one of its functions; it has a public symbol as above. */
    F_BEHIND,
    /** Bytes that an object brought as data; it has a public symbol as above. */
    F_DATA,

    /** File and line are ours. */
    L_SAME,
    /** Its line is a marker for debuggers and not a line: we have none. */
    L_MARK,
    /** The address is before the first row, whose line it reports; we have none. */
    L_BEFORE,
    /** Lines of several functions are stored for the folded one: it reports those of another. */
    L_FOLDED,
    /** Rows of several files interleave: it looks into one file's rows alone. */
    L_FILES,
    /** Of several rows that begin at the address it reports one without bytes. */
    L_EMPTY,

    /** Functions, files and lines are ours; mostly nothing is inlined. */
    S_SAME,
    /** It does not see a site whose row at the address has no length of its own. */
    S_UNSEEN,
    /** The functions are ours; a line is that of a later row. */
    S_LATER,

    /** None of these: a mistake of ours. */
    UNEXPLAINED
  }

  private static final Map<String, String> FILES =
      Map.of(
          "sentry/crash", "sentry_crash",
          "sentry/CrashWithException", "sentry_CrashWithException",
          "breakpad/dump_syms_regtest64", "breakpad_dump_syms_regtest64",
          "syzygy/test_dll", "syzygy_test_dll",
          "seh/x64/xcpt4", "seh_x64_xcpt4",
          "seh/x86/xcpt4", "seh_x86_xcpt4",
          "sysinf/systeminformer", "sysinf_systeminformer",
          "samply/softokn3", "samply_softokn3",
          "llvm/test-columns", "llvm_test-columns",
          "binskim/Native_x64_RustC_Rust_debuginfo2_v1.58.1",
              "binskim_Native_x64_RustC_Rust_debuginfo2_v1.58.1");

  private final Map<Verdict, Integer> counts = new LinkedHashMap<>();
  private final List<String> unexplained = new ArrayList<>();

  private void count(Verdict verdict, String detail) {
    counts.merge(verdict, 1, Integer::sum);
    if (verdict == Verdict.UNEXPLAINED) {
      unexplained.add(detail);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sentry/crash",
        "sentry/CrashWithException",
        "breakpad/dump_syms_regtest64",
        "syzygy/test_dll",
        "seh/x64/xcpt4",
        "seh/x86/xcpt4",
        "sysinf/systeminformer",
        "samply/softokn3",
        "llvm/test-columns",
        "binskim/Native_x64_RustC_Rust_debuginfo2_v1.58.1"
      })
  void everyAnswerIsOursOrOfAKnownClass(String file) throws IOException {
    PdbFile pdb = Pdbs.open(file + ".pdb");
    PdbSymbolizer addresses = new PdbSymbolizer(pdb);
    LlvmSymbolizer llvm = new LlvmSymbolizer(pdb);
    int rows = 0;
    for (String row : PdbSamples.truth(FILES.get(file) + ".addr2line.tsv")) {
      String[] cells = row.split("\t", -1);
      if (!row.startsWith("#")) {
        rows++;
        judge(pdb, addresses, llvm, Long.parseLong(cells[0], 16), cells[2]);
      }
    }
    counts.put(Verdict.CRASHED, ASKED - rows);
    System.out.println(row(file));
    assertEquals(List.of(), unexplained.stream().limit(20).toList());
    assertEquals(table().get(file), row(file));
  }

  /**
   * Of rows that begin at the start of a function llvm-symbolizer reports the first, and so do we.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "sentry/CrashWithException",
        "breakpad/dump_syms_regtest64",
        "syzygy/test_dll",
        "seh/x64/xcpt4",
        "seh/x86/xcpt4",
        "sysinf/systeminformer",
        "samply/softokn3"
      })
  void atTheStartOfEveryFunctionTheLineIsThatOfTheFirstRow(String file) {
    PdbFile pdb = Pdbs.open(file + ".pdb");
    PdbSymbolizer addresses = new PdbSymbolizer(pdb);
    LlvmSymbolizer llvm = new LlvmSymbolizer(pdb);
    int starts = 0;
    for (PdbModule module : pdb.modules()) {
      for (Procedure procedure : pdb.symbols(module).procedures()) {
        long rva = pdb.rva(procedure.section(), procedure.offset());
        if (llvm.owner(rva) == module.number()) {
          starts++;
          String ours = place(answer(addresses.find(rva).orElseThrow().frames().getLast()));
          String told = place(llvm.at(rva).getLast());
          Verdict verdict =
              told.equals(ours)
                  ? Verdict.L_SAME
                  : ours.equals("??:0") || llvm.rows(rva).blocks() > 1
                      ? Verdict.L_FILES
                      : llvm.rows(rva).places().size() > 1 ? Verdict.L_FOLDED : Verdict.UNEXPLAINED;
          count(verdict, "%x: %s and not %s".formatted(rva, told, ours));
        }
      }
    }
    System.out.println(file + ": lines of " + starts + " starts of functions: " + counts);
    assertEquals(List.of(), unexplained.stream().limit(20).toList());
    // The others are of folded functions, or of two files.
    assertTrue(counts.getOrDefault(Verdict.L_SAME, 0) >= 0.96 * starts, counts.toString());
  }

  private void judge(
      PdbFile pdb, PdbSymbolizer addresses, LlvmSymbolizer llvm, long rva, String told) {
    Optional<Found> found = addresses.find(rva);
    List<String> frames = Arrays.asList(told.split(" \\| "));
    List<LlvmSymbolizer.Answer> byItsRules = llvm.at(rva);
    String detail = "%x: %s%n and not %s".formatted(rva, told, found);
    if (told.isEmpty()) {
      Verdict verdict =
          found.isEmpty()
              ? Verdict.NOTHING
              : found.get().kind() == Kind.THUNK && llvm.isJump(rva)
                  ? Verdict.JUMP
                  : Verdict.UNEXPLAINED;
      count(byItsRules.toString().equals("[ @ ??:0]") ? verdict : Verdict.UNEXPLAINED, detail);
      return;
    }
    // What its rules give is what it said: so a difference to us is one of the rules.
    assertEquals(frames, byItsRules.stream().map(Object::toString).toList());
    LlvmSymbolizer.Answer outermost = byItsRules.getLast();
    boolean nearest = found.filter(f -> f.kind() == Kind.NEAREST).isPresent();
    if (nearest) {
      assertTrue(llvm.publicsAt(found.get().begin()).contains(outermost.function()), detail);
    }
    count(
        found
            .filter(_ -> !nearest)
            .map(f -> function(llvm, f, outermost.function()))
            .orElseGet(() -> nobodys(pdb, llvm, rva)),
        "function " + detail);
    String line = place(outermost);
    count(
        line(llvm, rva, found.map(f -> place(answer(f.frames().getLast()))).orElse("??:0"), line),
        "line " + detail);
    List<LlvmSymbolizer.Answer> inlined =
        found.stream()
            .flatMap(f -> f.frames().stream())
            .filter(Frame::isInlined)
            .map(AddressTruthTest::answer)
            .map(a -> new LlvmSymbolizer.Answer(llvm.text(a.function()), a.file(), a.line()))
            .toList();
    count(
        stack(llvm.inlined(rva), inlined, byItsRules.subList(0, byItsRules.size() - 1)),
        "stack " + detail);
  }

  private static LlvmSymbolizer.Answer answer(Frame frame) {
    return new LlvmSymbolizer.Answer(frame.function(), frame.file(), frame.line());
  }

  private static String place(LlvmSymbolizer.Answer answer) {
    return answer.file().isEmpty() ? "??:0" : answer.file() + ":" + answer.line();
  }

  private static Verdict function(LlvmSymbolizer llvm, Found found, String told) {
    if (told.equals(llvm.text(found.name())) || told.equals(llvm.text(found.decorated()))) {
      return Verdict.F_SAME;
    }
    if (llvm.publicsAt(found.begin()).contains(told)) {
      return Verdict.F_FOLDED;
    }
    boolean before =
        llvm.nearestPublic(found.begin())
            .filter(p -> llvm.text(p.name()).equals(told))
            .filter(p -> llvm.rva(p) < found.begin())
            .isPresent();
    return found.kind() == Kind.LABEL && before ? Verdict.F_LABEL : Verdict.UNEXPLAINED;
  }

  /** We say nothing: there must be no function here, and no public symbol since the object. */
  private static Verdict nobodys(PdbFile pdb, LlvmSymbolizer llvm, long rva) {
    PdbSection section =
        pdb.sections().stream()
            .filter(s -> rva >= s.rva() && rva < s.rva() + s.size())
            .findFirst()
            .orElseThrow();
    Optional<Contribution> c = pdb.contributions().find(section.number(), rva - section.rva());
    if (c.isEmpty()) {
      return Verdict.UNEXPLAINED;
    }
    long begin = section.rva() + c.get().offset();
    if (llvm.nearestPublic(rva).filter(p -> llvm.rva(p) < begin).isEmpty()
        || llvm.inFunction(rva)) {
      return Verdict.UNEXPLAINED;
    }
    if ((c.get().characteristics() & 0x20) == 0) {
      return Verdict.F_DATA;
    }
    return llvm.hasFunction(begin, rva) ? Verdict.F_BEHIND : Verdict.F_BEFORE;
  }

  private static Verdict line(LlvmSymbolizer llvm, long rva, String ours, String told) {
    if (told.equals(ours)) {
      return Verdict.L_SAME;
    }
    LlvmSymbolizer.Rows rows = llvm.rows(rva);
    if (rows.places().isEmpty() && ours.equals("??:0")) {
      return Verdict.L_BEFORE;
    }
    if (ours.equals("??:0") && told.matches(".*:(15732480|16707566)")) {
      return rows.places().contains(told) ? Verdict.L_MARK : Verdict.UNEXPLAINED;
    }
    if (rows.places().isEmpty() || !ours.equals(rows.places().getFirst())) {
      return Verdict.UNEXPLAINED;
    }
    if (rows.places().contains(told)) {
      return Verdict.L_FOLDED;
    }
    return rows.blocks() > 1
        ? Verdict.L_FILES
        : rows.severalBegin() ? Verdict.L_EMPTY : Verdict.UNEXPLAINED;
  }

  private static Verdict stack(
      LlvmSymbolizer.Inlined meant,
      List<LlvmSymbolizer.Answer> ours,
      List<LlvmSymbolizer.Answer> told) {
    if (!ours.equals(meant.frames())) {
      return Verdict.UNEXPLAINED;
    }
    if (ours.equals(told)) {
      return Verdict.S_SAME;
    }
    List<String> functions = told.stream().map(LlvmSymbolizer.Answer::function).toList();
    if (ours.stream().map(LlvmSymbolizer.Answer::function).toList().equals(functions)) {
      return Verdict.S_LATER;
    }
    return meant.allSeen() ? Verdict.UNEXPLAINED : Verdict.S_UNSEEN;
  }

  private String row(String file) {
    Stream<String> numbers =
        Arrays.stream(Verdict.values())
            .filter(v -> v != Verdict.UNEXPLAINED)
            .map(v -> Integer.toString(counts.getOrDefault(v, 0)));
    return "| " + file + " | " + String.join(" | ", numbers.toList()) + " |";
  }

  /** The rows of the table, by file. */
  private static Map<String, String> table() throws IOException {
    Map<String, String> rows = new LinkedHashMap<>();
    for (String line : Files.readAllLines(Path.of("..", "docs", "pdb-notes.md"))) {
      String[] cells = line.split(" *\\| *", -1);
      if (cells.length == Verdict.values().length + 2 && cells[2].matches("\\d+")) {
        rows.put(cells[1], line);
      }
    }
    return rows;
  }

  private static int sum(Map<String, String> table, Verdict... verdicts) {
    return table.entrySet().stream()
        .filter(row -> FILES.containsKey(row.getKey()))
        .mapToInt(row ->
            Arrays.stream(verdicts)
                .mapToInt(
                    v -> Integer.parseInt(row.getValue().split(" *\\| *", -1)[v.ordinal() + 2]))
                .sum())
        .sum();
  }

  /** Sums of the rows that the test above compares with the files. */
  @Test
  void overAllFilesTheSharesAreEnough() throws IOException {
    Map<String, String> table = table();
    assertTrue(table.keySet().containsAll(FILES.keySet()), table.keySet().toString());
    int same = sum(table, Verdict.F_SAME);
    int functions = same + sum(table, Verdict.F_FOLDED);
    int elsewhere = sum(table, Verdict.F_LABEL, Verdict.F_BEFORE, Verdict.F_BEHIND, Verdict.F_DATA);
    int lines = sum(table, Verdict.L_SAME);
    int otherLines =
        sum(
            table,
            Verdict.L_MARK,
            Verdict.L_BEFORE,
            Verdict.L_FOLDED,
            Verdict.L_FILES,
            Verdict.L_EMPTY);
    int stacks = sum(table, Verdict.S_SAME);
    int answered = lines + otherLines;
    assertEquals(answered, functions + elsewhere);
    assertEquals(answered, stacks + sum(table, Verdict.S_UNSEEN, Verdict.S_LATER));
    assertEquals(10 * ASKED, answered + sum(table, Verdict.CRASHED, Verdict.NOTHING, Verdict.JUMP));
    System.out.printf(
        "%d answers: functions %d alike and %d folded, %d told where none is; lines %d alike;"
            + " stacks %d alike, %d with lines of later rows%n",
        answered, same, functions - same, elsewhere, lines, stacks, sum(table, Verdict.S_LATER));
    // Where we find no function, none is expected; a label is one.
    int asked = functions + sum(table, Verdict.F_LABEL);
    assertTrue(functions >= ENOUGH * asked, "functions");
    assertTrue(lines >= ENOUGH * answered, "lines");
    int seen = answered - sum(table, Verdict.S_UNSEEN);
    assertTrue(stacks + sum(table, Verdict.S_LATER) >= ENOUGH * seen, "stacks");
    assertEquals(sums(table), table.get("all"));
  }

  private static String sums(Map<String, String> table) {
    Stream<String> sums =
        Arrays.stream(Verdict.values())
            .filter(v -> v != Verdict.UNEXPLAINED)
            .map(v -> Integer.toString(sum(table, v)));
    return "| all | " + String.join(" | ", sums.toList()) + " |";
  }
}
