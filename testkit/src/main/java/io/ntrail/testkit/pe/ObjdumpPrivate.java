package io.ntrail.testkit.pe;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The private headers of one image as {@code objdump -p} prints them.
 *
 * @param header the fields of the optional header by objdump's names, all numbers
 * @param directories the data directories as printed: RVA and size
 * @param table the function table of an x64 image; ends where objdump stopped
 * @param unwind every UNWIND_INFO once, with the function that it was printed for
 * @param resources the leaves of the tree of resources, in the order printed
 */
public record ObjdumpPrivate(
    Map<String, Long> header,
    List<Directory> directories,
    List<ToolFunction> table,
    List<ToolUnwind> unwind,
    List<Leaf> resources) {

  /**
   * A data directory.
   *
   * @param rva where
   * @param size in bytes
   */
  public record Directory(long rva, long size) {}

  /**
   * A resource.
   *
   * @param rva where its content lies
   * @param size in bytes
   * @param codePage as stored
   */
  public record Leaf(long rva, long size, long codePage) {}

  private static final Pattern LEAF =
      Pattern.compile(
          "[0-9a-f]+ +Leaf: Addr: 0x([0-9a-f]+), Size: 0x([0-9a-f]+), Codepage: (\\d+)");

  private static final Pattern FIELD =
      Pattern.compile("([A-Z][A-Za-z0-9]+)\t+([0-9a-f]+)(?:\t.*)?");
  private static final List<String> DECIMAL = List.of("Major", "Minor");
  private static final Pattern DIRECTORY =
      Pattern.compile("Entry [0-9a-f] ([0-9a-f]+) ([0-9a-f]+) .*");
  private static final Pattern ROW =
      Pattern.compile(" [0-9a-f]{16}:\t([0-9a-f]{16}) ([0-9a-f]{16}) ([0-9a-f]{16})");

  /** Keeps what it is given. */
  public ObjdumpPrivate {
    header = Map.copyOf(header);
    directories = List.copyOf(directories);
    table = List.copyOf(table);
    unwind = List.copyOf(unwind);
    resources = List.copyOf(resources);
  }

  /** One block of {@code objdump-p-*.txt.gz}. */
  public static ObjdumpPrivate parse(ToolOutput output) {
    Map<String, Long> header = new LinkedHashMap<>();
    List<Directory> directories = new ArrayList<>();
    List<ToolFunction> table = new ArrayList<>();
    List<Leaf> resources = new ArrayList<>();
    List<List<String>> infos = new ArrayList<>();
    boolean inHeader = true;
    for (String line : output.lines()) {
      Matcher matcher;
      if (inHeader && (matcher = FIELD.matcher(line)).matches()) {
        String name = matcher.group(1);
        boolean decimal = DECIMAL.stream().anyMatch(name::startsWith);
        header.putIfAbsent(name, Long.parseUnsignedLong(matcher.group(2), decimal ? 10 : 16));
      } else if (inHeader && (matcher = DIRECTORY.matcher(line)).matches()) {
        directories.add(new Directory(hex(matcher.group(1)), hex(matcher.group(2))));
        inHeader = directories.size() < 16;
      } else if ((matcher = ROW.matcher(line)).matches()) {
        long base = header.getOrDefault("ImageBase", 0L);
        table.add(
            new ToolFunction(
                hex(matcher.group(1)) - base,
                hex(matcher.group(2)) - base,
                hex(matcher.group(3)) - base));
      } else if ((matcher = LEAF.matcher(line)).matches()) {
        resources.add(
            new Leaf(
                hex(matcher.group(1)), hex(matcher.group(2)), Long.parseLong(matcher.group(3))));
      } else if (UnwindLines.begins(line)) {
        infos.add(new ArrayList<>(List.of(line)));
      } else if (!infos.isEmpty() && line.startsWith("\t")) {
        infos.getLast().add(line);
      }
    }
    long base = header.getOrDefault("ImageBase", 0L);
    List<ToolUnwind> unwind = new ArrayList<>();
    for (List<String> info : infos) {
      unwind.add(new UnwindLines(base).read(info));
    }
    return new ObjdumpPrivate(header, directories, table, unwind, resources);
  }

  private static long hex(String digits) {
    return Long.parseUnsignedLong(digits, 16);
  }

  /** The lines about one UNWIND_INFO. */
  private static final class UnwindLines {
    private static final Pattern FIRST =
        Pattern.compile(" [0-9a-f]{16} \\(rva: ([0-9a-f]+)\\): ([0-9a-f]{16}) - ([0-9a-f]{16})");
    private static final Pattern VERSION = Pattern.compile("\tVersion: (\\d+), Flags: (.*)");
    private static final Pattern SIZES =
        Pattern.compile(
            "\tNbr codes: (\\d+), Prologue size: 0x(\\w+), Frame offset: 0x(\\w+),"
                + " Frame reg: (\\w+)");
    private static final Pattern EPILOG =
        Pattern.compile("\tv2 epilog \\(length: (\\w+)\\) at pc\\+:(.*)");
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

    UnwindLines(long base) {
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
      Matcher m;
      if ((m = CODE.matcher(line)).matches()) {
        codes.add(code(Integer.parseInt(m.group(1), 16), m.group(2)));
      } else if ((m = VERSION.matcher(line)).matches()) {
        version = Integer.parseInt(m.group(1));
        flags =
            (m.group(2).contains("UNW_FLAG_EHANDLER") ? 1 : 0)
                | (m.group(2).contains("UNW_FLAG_UHANDLER") ? 2 : 0)
                | (m.group(2).contains("UNW_FLAG_CHAININFO") ? 4 : 0);
      } else if ((m = SIZES.matcher(line)).matches()) {
        slots = Integer.parseInt(m.group(1));
        prolog = Integer.parseInt(m.group(2), 16);
        frameOffset = 16 * Integer.parseInt(m.group(3), 16);
        frameRegister = m.group(4).equals("none") ? 0 : ToolUnwind.register(m.group(4));
      } else if ((m = EPILOG.matcher(line)).matches()) {
        epilogSize = Integer.parseInt(m.group(1), 16);
        for (String word : m.group(2).strip().split(" ")) {
          if (word.startsWith("0x")) {
            epilogs.add(Integer.parseUnsignedInt(word.substring(2), 16));
          }
        }
      } else if ((m = HANDLER.matcher(line)).matches()) {
        handler = OptionalLong.of(hex(m.group(1)) - base);
      } else if ((m = CHAIN.matcher(line)).matches()) {
        chained = Optional.of(new ToolFunction(hex(m.group(1)), hex(m.group(2)), 0));
      } else if ((m = CHAIN_DATA.matcher(line)).matches()) {
        ToolFunction row = chained.orElseThrow();
        chained = Optional.of(new ToolFunction(row.begin(), row.end(), hex(m.group(1))));
      }
    }

    private ToolCode code(int offset, String text) {
      Matcher m;
      if ((m = PUSH.matcher(text)).matches()) {
        return new ToolCode(offset, "PUSH_NONVOL", ToolUnwind.register(m.group(1)), 0);
      }
      if ((m = ALLOC.matcher(text)).matches()) {
        return new ToolCode(
            offset, m.group(1).equals("small") ? "ALLOC_SMALL" : "ALLOC_LARGE", 0, hex(m.group(2)));
      }
      if ((m = SAVE.matcher(text)).matches()) {
        return new ToolCode(
            offset,
            m.group(1).startsWith("xmm") ? "SAVE_XMM128" : "SAVE_NONVOL",
            ToolUnwind.register(m.group(1)),
            hex(m.group(2)));
      }
      if ((m = FRAME.matcher(text)).matches()) {
        return new ToolCode(offset, "SET_FPREG", ToolUnwind.register(m.group(1)), hex(m.group(2)));
      }
      if (text.startsWith("interrupt entry")) {
        return new ToolCode(offset, "PUSH_MACHFRAME", 0, text.contains("Error Code") ? 1 : 0);
      }
      throw new IllegalArgumentException("not an unwind code: " + text);
    }
  }
}
