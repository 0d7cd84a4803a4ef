package io.ntrail.testkit.pe;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The lines that objdump prints about one UNWIND_INFO. */
final class ObjdumpUnwind {
  private static final Pattern FIRST =
      Pattern.compile(" [0-9a-f]{16} \\(rva: ([0-9a-f]+)\\): ([0-9a-f]{16}) - ([0-9a-f]{16})");
  private static final Pattern VERSION = Pattern.compile("\tVersion: (\\d+), Flags: (.*)");
  private static final Pattern SIZES =
      Pattern.compile(
          "\tNbr codes: (\\d+), Prologue size: 0x(\\w+), Frame offset: 0x(\\w+),"
              + " Frame reg: (\\w+)");
  private static final Pattern EPILOG =
      Pattern.compile("\tv2 epilog \\(length: (\\w+)\\) at pc\\+:(.*)");
  private static final Pattern START = Pattern.compile("0x(\\w+)");
  private static final Pattern CODE = Pattern.compile("\t  pc\\+0x(\\w+): (.*)");
  private static final Pattern HANDLER = Pattern.compile("\tHandler: (\\w+)\\.");
  private static final Pattern CHAIN = Pattern.compile("\tChain: start: (\\w+), end: (\\w+)");
  private static final Pattern CHAIN_DATA = Pattern.compile("\t unwind data: (\\w+)\\.");
  private static final Pattern PUSH = Pattern.compile("push (\\w+)");
  private static final Pattern ALLOC =
      Pattern.compile("alloc (small|large) area: rsp = rsp - 0x(\\w+)");
  private static final Pattern SAVE =
      Pattern.compile("save (\\w+) at \\w+ \\+ 0x(\\w+)(?: \\[Unexpected!])?");
  private static final Pattern FRAME =
      Pattern.compile("FPReg: (\\w+) = rsp \\+ 0x(\\w+) \\(info = 0x(\\w+)\\)");

  private final long base;
  private int version;
  private int flags;
  private int prolog;
  private int slots;
  private int frameRegister;
  private int frameOffset;
  private int epilogSize;
  private OptionalLong handler = OptionalLong.empty();
  private Optional<ToolFunction> chained = Optional.empty();
  private final List<ToolCode> codes = new ArrayList<>();
  private final List<Integer> epilogs = new ArrayList<>();

  ObjdumpUnwind(long base) {
    this.base = base;
  }

  static boolean begins(String line) {
    return FIRST.matcher(line).matches();
  }

  ToolUnwind read(List<String> lines) {
    Matcher first = FIRST.matcher(lines.getFirst());
    if (!first.matches()) {
      throw new IllegalArgumentException(lines.getFirst());
    }
    lines.stream().skip(1).forEach(this::line);
    return new ToolUnwind(
        hex(first.group(1)),
        hex(first.group(2)) - base,
        hex(first.group(3)) - base,
        version,
        flags,
        prolog,
        slots,
        frameRegister,
        frameOffset,
        codes,
        epilogSize,
        epilogs,
        handler,
        chained);
  }

  private void line(String line) {
    Matcher code = CODE.matcher(line);
    Matcher handlerLine = HANDLER.matcher(line);
    Matcher chain = CHAIN.matcher(line);
    Matcher chainData = CHAIN_DATA.matcher(line);
    if (code.matches()) {
      codes.add(code(Integer.parseInt(code.group(1), 16), code.group(2)));
    } else if (handlerLine.matches()) {
      handler = OptionalLong.of(hex(handlerLine.group(1)) - base);
    } else if (chain.matches()) {
      chained = Optional.of(new ToolFunction(hex(chain.group(1)), hex(chain.group(2)), 0));
    } else if (chainData.matches()) {
      ToolFunction row = chained.orElseThrow();
      chained = Optional.of(new ToolFunction(row.begin(), row.end(), hex(chainData.group(1))));
    } else {
      header(line);
    }
  }

  private void header(String line) {
    Matcher first = VERSION.matcher(line);
    Matcher sizes = SIZES.matcher(line);
    Matcher epilog = EPILOG.matcher(line);
    if (first.matches()) {
      version = Integer.parseInt(first.group(1));
      flags =
          (first.group(2).contains("UNW_FLAG_EHANDLER") ? 1 : 0)
              | (first.group(2).contains("UNW_FLAG_UHANDLER") ? 2 : 0)
              | (first.group(2).contains("UNW_FLAG_CHAININFO") ? 4 : 0);
    } else if (sizes.matches()) {
      slots = Integer.parseInt(sizes.group(1));
      prolog = Integer.parseInt(sizes.group(2), 16);
      frameOffset = 16 * Integer.parseInt(sizes.group(3), 16);
      frameRegister = sizes.group(4).equals("none") ? 0 : ToolUnwind.register(sizes.group(4));
    } else if (epilog.matches()) {
      epilogSize = Integer.parseInt(epilog.group(1), 16);
      Matcher start = START.matcher(epilog.group(2));
      while (start.find()) {
        epilogs.add(Integer.parseUnsignedInt(start.group(1), 16));
      }
    }
  }

  private static ToolCode code(int offset, String text) {
    Matcher push = PUSH.matcher(text);
    if (push.matches()) {
      return new ToolCode(offset, "PUSH_NONVOL", ToolUnwind.register(push.group(1)), 0);
    }
    Matcher alloc = ALLOC.matcher(text);
    if (alloc.matches()) {
      String operation = alloc.group(1).equals("small") ? "ALLOC_SMALL" : "ALLOC_LARGE";
      return new ToolCode(offset, operation, 0, hex(alloc.group(2)));
    }
    Matcher save = SAVE.matcher(text);
    if (save.matches()) {
      String operation = save.group(1).startsWith("xmm") ? "SAVE_XMM128" : "SAVE_NONVOL";
      return new ToolCode(
          offset, operation, ToolUnwind.register(save.group(1)), hex(save.group(2)));
    }
    Matcher frame = FRAME.matcher(text);
    if (frame.matches()) {
      return new ToolCode(
          offset, "SET_FPREG", ToolUnwind.register(frame.group(1)), hex(frame.group(2)));
    }
    if (text.startsWith("interrupt entry")) {
      return new ToolCode(offset, "PUSH_MACHFRAME", 0, text.contains("Error Code") ? 1 : 0);
    }
    throw new IllegalArgumentException("not an unwind code: " + text);
  }

  private static long hex(String digits) {
    return Long.parseUnsignedLong(digits, 16);
  }
}
