package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.programs.patchability.FunctionPadding;
import io.ntrail.programs.patchability.FunctionPatch;
import io.ntrail.programs.patchability.PatchClass;
import io.ntrail.testkit.code.Objdump;
import io.ntrail.testkit.code.Oracle;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plans for all functions of ten 32-bit libraries of Wine, beside what objdump reads in them: what
 * is moved is whole instructions, no branch leads into it, and jumps go to where nothing is done.
 */
final class PlansBesideObjdumpTest {
  /**
   * A library, and its exports by class, as they were counted when tracing was designed.
   *
   * @param borrowed those of class C, an estimate
   */
  private record Library(String name, int ownSingle, int ownSeveral, int borrowed) {
    int count(PatchClass one) {
      return switch (one) {
        case A -> ownSingle;
        case B -> ownSeveral;
        case C -> borrowed;
        default -> throw new IllegalArgumentException(one.text());
      };
    }
  }

  private static final List<Library> LIBRARIES =
      List.of(
          new Library("ntdll.dll", 230, 294, 64),
          new Library("msvcrt.dll", 223, 557, 100),
          new Library("kernel32.dll", 962, 41, 26),
          new Library("kernelbase.dll", 1033, 35, 21),
          new Library("user32.dll", 335, 66, 49),
          new Library("ucrtbase.dll", 214, 575, 89),
          new Library("gdi32.dll", 194, 57, 20),
          new Library("advapi32.dll", 361, 46, 16),
          new Library("ole32.dll", 80, 11, 3),
          new Library("ws2_32.dll", 52, 34, 12));

  /** Libraries of an ordinary run; with -Dntrail.long=true all. */
  private static final int SOME = 3;

  /** Exports by which a library may differ: those of lists, and what was an estimate. */
  private static final int FEW = 25;

  private static final Pattern BRANCH = Pattern.compile("^\\w+ +([0-9a-f]+)(?: <|$)");
  private static final Pattern MOVE = Pattern.compile("(\\w+),\\[?\\1(?:\\+eiz\\*1)?(?:\\+0x0)?]?");

  @TempDir Path folder;

  /** Instructions and targets of branches in a library by objdump, by RVA. */
  private static final class Listing {
    final TreeMap<Long, String> instructions = new TreeMap<>();
    final TreeSet<Long> targets = new TreeSet<>();

    Listing(String text, long base) {
      text.lines().forEach(line -> add(line, base));
    }

    private void add(String line, long base) {
      int colon = line.indexOf(":\t");
      if (colon < 0) {
        return;
      }
      String instruction = line.substring(colon + 2).stripTrailing();
      long address = Long.parseLong(line, line.lastIndexOf(' ', colon) + 1, colon, 16);
      instructions.put(address - base, instruction);
      if (instruction.charAt(0) == 'j'
          || instruction.startsWith("call")
          || instruction.startsWith("loop")) {
        Matcher target = BRANCH.matcher(instruction);
        if (target.find()) {
          targets.add(Long.parseLong(target.group(1), 16) - base);
        }
      }
    }

    /** Returns whether no branch leads to a byte after the first and before the end. */
    boolean isEnteredAtFirst(long begin, long end) {
      return targets.subSet(begin + 1, end).isEmpty();
    }

    /** Returns the instruction that contains a byte. */
    String at(long rva) {
      return instructions.floorEntry(rva).getValue();
    }
  }

  private static boolean doesNothing(String instruction) {
    String[] words = instruction.strip().split("\\s+", 2);
    return switch (words[0]) {
      case "nop", "nopw", "int3", "cs", "data16" -> true;
      case "xchg" -> words[1].equals("ax,ax");
      case "add" -> words[1].equals("BYTE PTR [eax],al");
      case "lea", "mov" -> MOVE.matcher(words[1].replaceAll("[a-z]s:", "")).matches();
      default -> false;
    };
  }

  private static void check(PlannedFunction function, Listing listing, List<String> wrong) {
    FunctionPatch patch = function.patch();
    long rva = function.rva();
    long end = rva + patch.unitLength();
    String name = function.title();
    if (listing.instructions.subMap(rva, end).size() != patch.unitInstructions()
        || !listing.instructions.containsKey(rva)
        || !listing.instructions.containsKey(end)) {
      wrong.add(name + ": its unit is not that of objdump");
    }
    if (!listing.isEnteredAtFirst(rva, end)) {
      wrong.add(name + ": a branch leads into its unit");
    }
    if (patch.isInPlace()) {
      if (patch.unitLength() < FunctionPadding.JUMP || patch.jumpAt() != rva) {
        wrong.add(name + ": its jump overwrites more than is moved");
      }
      return;
    }
    long distance = patch.jumpAt() - (rva + FunctionPatch.SHORT_JUMP);
    if (distance < Byte.MIN_VALUE || distance > Byte.MAX_VALUE) {
      wrong.add(name + ": its jump is out of reach");
    }
    if (!listing.targets.subSet(patch.jumpAt(), patch.jumpAt() + FunctionPadding.JUMP).isEmpty()) {
      wrong.add(name + ": a branch leads into its padding");
    }
    for (long at = patch.jumpAt(); at < patch.jumpAt() + FunctionPadding.JUMP; at++) {
      if (!doesNothing(listing.at(at))) {
        wrong.add(name + ": its padding has " + listing.at(at));
        break;
      }
    }
  }

  /** Adds the bytes that a function's patch overwrites; what another patch uses is wrong. */
  private static void overwrite(PlannedFunction function, Set<Long> used, List<String> wrong) {
    FunctionPatch patch = function.patch();
    boolean isFree = true;
    for (long at = 0; at < FunctionPadding.JUMP; at++) {
      isFree &= used.add(patch.jumpAt() + at);
    }
    for (long at = 0; !patch.isInPlace() && at < FunctionPatch.SHORT_JUMP; at++) {
      isFree &= used.add(function.rva() + at);
    }
    if (!isFree) {
      wrong.add(function.title() + ": another patch is there");
    }
  }

  @Test
  void whatIsMovedIsWholeAndEnteredAtItsFirstByteAlone() throws IOException {
    assumeTrue(Wine.available32(), Wine.missing32());
    assumeTrue(Objdump.available(), Objdump.MISSING);
    int libraries = Boolean.getBoolean("ntrail.long") ? LIBRARIES.size() : SOME;
    for (Library library : LIBRARIES.subList(0, libraries)) {
      check(library);
    }
  }

  private void check(Library library) throws IOException {
    Path file = Wine.libraries32().orElseThrow().resolve("i386-windows").resolve(library.name);
    String text =
        Oracle.run(folder, "objdump", "-d", "-M", "intel", "--no-show-raw-insn", file.toString());
    List<String> wrong = new ArrayList<>();
    Map<PatchClass, Integer> exports = new EnumMap<>(PatchClass.class);
    Set<Long> used = new HashSet<>();
    try (InputFile input = InputFile.map(file, library.name)) {
      PeImage image = PeImage.ofFile(input);
      long base = image.headers().imageBase();
      Listing listing = new Listing(text, base);
      TargetModule module =
          new TargetModule(
              base, image.headers().sizeOfImage(), "C:\\" + library.name, library.name);
      PlanSymbols symbols = PlanSymbols.of(image, Optional.empty());
      for (PlannedFunction function :
          Planner.plan(module, image, symbols, Optional.empty(), Sketch.ALL)) {
        if (function.isTraced()) {
          check(function, listing, wrong);
          overwrite(function, used, wrong);
          if (function.patch().function().is(Source.EXPORT)) {
            exports.merge(function.patch().patchClass(), 1, Integer::sum);
          }
        }
      }
    }
    assertEquals(List.of(), wrong.stream().limit(20).toList(), library.name);
    for (PatchClass one : List.of(PatchClass.A, PatchClass.B, PatchClass.C)) {
      int planned = exports.getOrDefault(one, 0);
      int counted = library.count(one);
      assertTrue(
          Math.abs(planned - counted) <= FEW,
          () -> "%s, %s: %d, not %d".formatted(library.name, one, planned, counted));
    }
  }
}
