package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pdb.PdbAddresses.Found;
import io.ntrail.formats.pdb.PdbAddresses.Frame;
import io.ntrail.formats.pdb.codeview.Symbol.Public;
import io.ntrail.testkit.pdb.PdbSamples;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * 3,000 addresses of each of ten programs mean what llvm-symbolizer 14 said about them.
 *
 * <p>It is known to be wrong where these comparisons make exceptions: inside a row of an inlined
 * function it tells the line of the next row; it does not see inline sites whose rows have no
 * lengths, as Visual C++ writes them; where no module contributed bytes (between functions) it
 * names the nearest public symbol; and it names any public symbol of the address, where several
 * functions were folded into one.
 */
@EnabledIf("io.ntrail.formats.pdb.Pdbs#present")
class AddressTruthTest {
  private static final double ENOUGH = 0.99;

  /** A share, and the first cases that are not of it. */
  private static final class Share {
    private final String what;
    private final List<String> others = new ArrayList<>();
    private int total;

    Share(String what) {
      this.what = what;
    }

    void add(boolean agrees, String detail) {
      total++;
      if (!agrees) {
        others.add(detail);
      }
    }

    double value() {
      return total == 0 ? 1 : 1 - (double) others.size() / total;
    }

    @Override
    public String toString() {
      return "%s %.2f %% of %d".formatted(what, 100 * value(), total);
    }

    void mustBeEnough() {
      assertTrue(
          value() >= ENOUGH,
          () -> this + ": " + String.join("\n", others.subList(0, Math.min(20, others.size()))));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "samply_softokn3, samply/softokn3.pdb, true",
    "seh_x64_xcpt4, seh/x64/xcpt4.pdb, false",
    "seh_x86_xcpt4, seh/x86/xcpt4.pdb, false",
    "sentry_CrashWithException, sentry/CrashWithException.pdb, false",
    "sentry_crash, sentry/crash.pdb, false",
    "sysinf_systeminformer, sysinf/systeminformer.pdb, false",
    "syzygy_test_dll, syzygy/test_dll.pdb, false",
    "llvm_test-columns, llvm/test-columns.pdb, false",
    "breakpad_dump_syms_regtest64, breakpad/dump_syms_regtest64.pdb, false",
    "binskim_Native_x64_RustC_Rust_debuginfo2_v1.58.1,"
        + " binskim/Native_x64_RustC_Rust_debuginfo2_v1.58.1.pdb, true"
  })
  void functionsLinesAndInlinedFunctionsAreThoseOfAnotherTool(
      String truth, String file, boolean allSitesHaveLengths) {
    PdbFile pdb = Pdbs.open(file);
    PdbAddresses addresses = new PdbAddresses(pdb);
    Share functions = new Share("functions");
    Share lines = new Share("file:line without inlining");
    Share callers = new Share("file:line of the outermost");
    Share stacks = new Share(allSitesHaveLengths ? "inline stacks" : "inline stacks contained");
    int nobodys = 0;
    for (String row : PdbSamples.truth(truth + ".addr2line.tsv")) {
      String[] cells = row.split("\t", -1);
      if (row.startsWith("#") || cells[1].equals("0")) {
        continue;
      }
      List<String> told = Arrays.asList(cells[2].split(" \\| "));
      Optional<Found> found = addresses.find(Long.parseLong(cells[0], 16));
      if (found.isEmpty() && told.getLast().endsWith(" @ ??:0")) {
        nobodys++;
        continue;
      }
      List<String> ours =
          found
              .map(f -> f.frames().stream().map(AddressTruthTest::text).toList())
              .orElse(List.of("? @ ?"));
      String detail = cells[0] + "\n  " + String.join(" | ", ours) + "\n  " + cells[2];
      boolean sameFunction =
          name(ours.getLast()).equals(name(told.getLast()))
              || found.filter(f -> isAlias(pdb, f, told.getLast())).isPresent();
      functions.add(sameFunction, detail);
      callers.add(place(ours.getLast()).equals(place(told.getLast())), detail);
      if (ours.size() == 1 && told.size() == 1) {
        lines.add(place(ours.getLast()).equals(place(told.getLast())), detail);
      } else if (sameFunction && (told.size() > 1 || allSitesHaveLengths)) {
        List<String> inner = names(ours);
        List<String> toldInner = names(told);
        stacks.add(
            allSitesHaveLengths
                ? inner.equals(toldInner)
                : Collections.indexOfSubList(inner, toldInner) >= 0 || inner.containsAll(toldInner),
            detail);
      }
    }
    System.out.printf(
        "%s: %s, %s, %s, %s; %d addresses are nobody's%n",
        file, functions, lines, callers, stacks, nobodys);
    functions.mustBeEnough();
    lines.mustBeEnough();
    callers.mustBeEnough();
    stacks.mustBeEnough();
    assertTrue(nobodys < 200, "addresses without a name");
  }

  private static String text(Frame frame) {
    String place = frame.file().isEmpty() ? "??:0" : frame.file() + ":" + frame.line();
    return frame.function() + " @ " + place;
  }

  private static String place(String frame) {
    return frame
        .substring(frame.lastIndexOf(" @ ") + 3)
        // A mark for debuggers, which is no line of the file.
        .replaceAll(".*:(15732480|16707566)$", "??:0");
  }

  /** The names of the inlined functions, the innermost first. */
  private static List<String> names(List<String> frames) {
    return frames.subList(0, frames.size() - 1).stream().map(AddressTruthTest::name).toList();
  }

  /** A name without parameters, arguments of templates and what decoration adds. */
  private static String name(String frame) {
    String name =
        frame
            .substring(0, Math.max(0, frame.lastIndexOf(" @ ")))
            .replaceAll("\\.llvm\\.\\d+$", "")
            .replaceAll("::h[0-9a-f]{16}$", "")
            .replace("dtor'", "destructor'")
            .replaceAll("(?<=operator)(\\(\\)|\\[\\]|->\\*?|[-<>=!+*/%&|^~]+)", "#");
    StringBuilder out = new StringBuilder();
    int depth = 0;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      depth += c == '<' || c == '(' ? 1 : 0;
      if (depth == 0) {
        out.append(c);
      }
      depth -= c == '>' || c == ')' ? 1 : 0;
    }
    return out.toString()
        .replaceFirst("^[_@]+", "")
        .replaceAll("@\\d+$", "")
        .replaceAll(" (const|volatile)$", "")
        .strip();
  }

  /** Whether a public symbol at the begin of the function has all words of a name. */
  private static boolean isAlias(PdbFile pdb, Found found, String frame) {
    List<String> words =
        Arrays.stream(name(frame).split("::|#|`.*?'", -1))
            .map(word -> word.replaceAll("^[~_]+|^operator.*", "").strip())
            .filter(word -> !word.isEmpty())
            .toList();
    for (PdbSection section : pdb.symbolSections()) {
      long offset = found.begin() - section.rva();
      if (offset >= 0 && offset < section.size()) {
        for (Public symbol : pdb.publics().orElseThrow().atOrBefore(section.number(), offset)) {
          if (symbol.offset() == offset && words.stream().allMatch(symbol.name()::contains)) {
            return true;
          }
        }
      }
    }
    return false;
  }
}
