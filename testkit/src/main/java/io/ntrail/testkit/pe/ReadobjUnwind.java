package io.ntrail.testkit.pe;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Unwind data as {@code llvm-readobj --unwind} prints them: one record a row of the function table,
 * rows with the same UNWIND_INFO each with a copy.
 */
public final class ReadobjUnwind {
  private static final Pattern CODE =
      Pattern.compile(
          "(?<op>[A-Z0-9_]+)(?: size=(?<size>\\d+)| reg=(?<reg>\\w+)(?:, offset=(?<off>0x\\w+))?"
              + "| errcode=(?<err>yes|no))?");

  private ReadobjUnwind() {}

  /**
   * The records of one image, in the order of its table.
   *
   * @param output a block of {@code readobj-unwind-*.txt.gz}
   * @param imageBase what the tool has added to every place
   */
  public static List<ToolUnwind> parse(ToolOutput output, long imageBase) {
    List<ToolUnwind> functions = new ArrayList<>();
    ToolNode root = ToolNode.parse(output);
    if (!root.has("UnwindInformation")) {
      return functions;
    }
    for (ToolNode function : root.first("UnwindInformation").all("RuntimeFunction")) {
      if (function.has("UnwindInfo")) {
        functions.add(unwind(function, imageBase));
      }
    }
    return functions;
  }

  /** The rows of the function table of one image. */
  public static List<ToolFunction> table(ToolOutput output, long imageBase) {
    ToolNode root = ToolNode.parse(output);
    if (!root.has("UnwindInformation")) {
      return List.of();
    }
    return root.first("UnwindInformation").all("RuntimeFunction").stream()
        .map(function -> row(function, imageBase))
        .toList();
  }

  private static ToolFunction row(ToolNode node, long imageBase) {
    return new ToolFunction(
        node.number("StartAddress") - imageBase,
        node.number("EndAddress") - imageBase,
        node.number("UnwindInfoAddress") - imageBase);
  }

  private static ToolUnwind unwind(ToolNode function, long imageBase) {
    ToolFunction row = row(function, imageBase);
    ToolNode info = function.first("UnwindInfo");
    List<ToolCode> codes = new ArrayList<>();
    for (ToolNode code : info.first("UnwindCodes").children()) {
      codes.add(code(code));
    }
    String register = info.text("FrameRegister");
    String offset = info.text("FrameOffset");
    return new ToolUnwind(
        row.unwind(),
        row.begin(),
        row.end(),
        (int) info.number("Version"),
        (int) info.number("Flags"),
        (int) info.number("PrologSize"),
        (int) info.number("UnwindCodeCount"),
        register.equals("-") ? 0 : (int) ToolNode.numberOf(register),
        offset.equals("-") ? 0 : 16 * (int) ToolNode.numberOf(offset),
        codes,
        0,
        List.of(),
        info.has("Handler")
            ? OptionalLong.of(info.number("Handler") - imageBase)
            : OptionalLong.empty(),
        info.has("Chained")
            ? Optional.of(row(info.first("Chained"), imageBase))
            : Optional.empty());
  }

  private static ToolCode code(ToolNode line) {
    Matcher code = CODE.matcher(line.value());
    if (!code.matches()) {
      throw new IllegalArgumentException("not an unwind code: " + line.value());
    }
    long value = 0;
    if (code.group("size") != null) {
      value = Long.parseLong(code.group("size"));
    } else if (code.group("off") != null) {
      value = ToolNode.numberOf(code.group("off"));
    } else if ("yes".equals(code.group("err"))) {
      value = 1;
    }
    String register = code.group("reg");
    return new ToolCode(
        (int) ToolNode.numberOf(line.name()),
        code.group("op").replace("_FAR", ""),
        register == null ? 0 : ToolUnwind.register(register),
        value);
  }
}
