package io.ntrail.cli.common;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.bytes.SpellingSuggestion;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.image.ParsedImage;
import java.util.ArrayList;
import java.util.List;

/** Argument that names a function of an image: an address in it, its name or a pattern. */
public final class FunctionArgument {
  private FunctionArgument() {}

  public static boolean isAddress(String what) {
    return what.startsWith("0x");
  }

  /**
   * Returns a hexadecimal number, with 0x in front, or without if it has letters.
   *
   * @throws NumberFormatException if it is none of 64 bits
   * @throws UsageError if it could be decimal as well
   */
  public static long address(String text) {
    if (text.matches("[1-9]\\d{0,17}")) {
      String decimal = Numbers.hex(Long.parseLong(text));
      throw new UsageError(
          text + " is ambiguous: 0x" + text + ", or decimal, which is " + decimal,
          "0x" + text + " or " + decimal);
    }
    return Long.parseUnsignedLong(text.startsWith("0x") ? text.substring(2) : text, 16);
  }

  /**
   * Returns the address that an option takes.
   *
   * @param example a value of the option
   * @throws UsageError if it is none
   */
  public static long address(String option, String text, String example) {
    try {
      return address(text);
    } catch (NumberFormatException _) {
      throw new UsageError(option + " takes an address, not " + text, example);
    }
  }

  /** An address in an image: an RVA, or an address at the base that its headers name. */
  public static long rva(PeImage image, String what) {
    try {
      long address = address(what);
      long base = image.headers().imageBase();
      boolean based =
          Long.compareUnsigned(address, base) >= 0
              && Long.compareUnsigned(address - base, image.headers().sizeOfImage()) < 0
              && !image.view().has(address, 1);
      long rva = based ? address - base : address;
      if (!image.isExecutable(rva)) {
        throw new CannotGoOn(
            "no code at " + Numbers.hex(rva) + " in " + image.name(),
            "ntrail image " + ImageWords.of(image) + " --sections");
      }
      return rva;
    } catch (NumberFormatException _) {
      throw new UsageError("an address looks like 0x1000, not " + what, "0x1000");
    }
  }

  /**
   * The functions that are meant.
   *
   * @param option that they were written for, for messages
   * @param gaps what could not be read, and may have names
   * @throws CannotGoOn if there is none
   */
  public static List<ImageFunction> find(
      ParsedImage contents, ImageFunctions functions, String option, String what, List<Gap> gaps) {
    PeImage image = contents.image();
    List<ImageFunction> found = new ArrayList<>();
    if (isAddress(what)) {
      long rva = rva(image, what);
      int index = functions.indexAt(rva);
      if (index >= 0) {
        return List.of(functions.list().get(index));
      }
      throw new CannotGoOn(
          "no function known at " + Numbers.hex(rva) + " in " + image.name(),
          "ntrail image " + ImageWords.of(image) + " --functions");
    }
    NamePattern pattern = CommonOptions.pattern(what, option, "'Stock*'");
    List<String> all = new ArrayList<>();
    for (ImageFunction function : functions.list()) {
      all.addAll(function.names());
      if (function.names().stream().anyMatch(pattern::matches)) {
        found.add(function);
      }
    }
    if (found.isEmpty()) {
      String nearest = SpellingSuggestion.of(what, all);
      throw CannotGoOn.notFound(
          image.name() + " has no function named " + what,
          gaps,
          "ntrail image "
              + ImageWords.of(image)
              + (nearest.isEmpty() ? " --functions" : " " + option + " " + ShellWords.of(nearest)));
    }
    return found;
  }
}
