package io.ntrail.testkit.pe;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private static final int DIRECTORIES = 16;
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
    for (String line : output.lines()) {
      boolean inHeader = directories.size() < DIRECTORIES;
      if (inHeader && header(line, header)) {
        continue;
      }
      Matcher directory = DIRECTORY.matcher(line);
      Matcher row = ROW.matcher(line);
      Matcher leaf = LEAF.matcher(line);
      if (inHeader && directory.matches()) {
        directories.add(new Directory(hex(directory.group(1)), hex(directory.group(2))));
      } else if (row.matches()) {
        long base = header.getOrDefault("ImageBase", 0L);
        table.add(
            new ToolFunction(
                hex(row.group(1)) - base, hex(row.group(2)) - base, hex(row.group(3)) - base));
      } else if (leaf.matches()) {
        resources.add(
            new Leaf(hex(leaf.group(1)), hex(leaf.group(2)), Long.parseLong(leaf.group(3))));
      } else if (ObjdumpUnwind.begins(line)) {
        infos.add(new ArrayList<>(List.of(line)));
      } else if (!infos.isEmpty() && line.startsWith("\t")) {
        infos.getLast().add(line);
      }
    }
    long base = header.getOrDefault("ImageBase", 0L);
    List<ToolUnwind> unwind = new ArrayList<>();
    for (List<String> info : infos) {
      unwind.add(new ObjdumpUnwind(base).read(info));
    }
    return new ObjdumpPrivate(header, directories, table, unwind, resources);
  }

  /** Takes up a field of the optional header, if the line is one. */
  private static boolean header(String line, Map<String, Long> header) {
    Matcher field = FIELD.matcher(line);
    if (!field.matches()) {
      return false;
    }
    String name = field.group(1);
    boolean decimal = DECIMAL.stream().anyMatch(name::startsWith);
    header.putIfAbsent(name, Long.parseUnsignedLong(field.group(2), decimal ? 10 : 16));
    return true;
  }

  private static long hex(String digits) {
    return Long.parseUnsignedLong(digits, 16);
  }
}
